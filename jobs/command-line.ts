/** Parses the command line, runs its job, and reports words that it cannot parse. */
import { Command, CommanderError } from 'commander';
import { codeOf } from '../src/model/error-code.ts';
import { inShell } from '../src/model/installation.ts';
import type { Timing } from '../src/model/timing.ts';
import { exitCode, type Job, type JobFamily } from './job.ts';
import { keepPrivate } from './keep-private.ts';
import { tellWarnings } from './node-warnings.ts';
import { perform, tellFailure } from './perform.ts';
import { loadOwnSettings } from './settings.ts';

/** The problems that were found in a command line, by root command. */
const problemsOf = new WeakMap<Command, string[]>();

/**
 * So long after the end of its job the process ends, whatever still runs: a DNS look-up, for example, cannot be cancelled
 * and may take half a minute.
 */
const longestAfterwardsMs = 1_000;

const jsonOption = ['--json', 'print one JSON object on standard output, and nothing else there'] as const;

/** Builds the command of a job or of a family of jobs; it adds problems of the command line to `problems`. */
function commandOf(job: Job | JobFamily, problems: string[], timing?: Timing): Command {
  const command = new Command(job.name)
    .summary(job.description)
    .description([job.description, ...(job.details ?? [])].join('\n'))
    .option(...jsonOption)
    .allowExcessArguments(true);
  if (!('jobs' in job)) addOptions(command, job);
  // Add the example last, so that it is at the end of the help.
  command.addHelpText('after', `\nExample:\n  ${inShell(job.example)}`);
  problemsOf.set(command, problems);
  if ('jobs' in job) {
    for (const each of job.jobs) command.addCommand(commandOf(each, problems, timing));
    return command;
  }
  return command.action(async () => {
    const { json, ...options } = command.optsWithGlobals<Record<string, unknown>>();
    const takesAny = command.registeredArguments.at(-1)?.variadic === true;
    const excess = takesAny ? [] : command.args.slice(command.registeredArguments.length);
    if (excess.length > 0) problems.push(`too many arguments for ${job.name}: ${excess.join(' ')}`);
    const given = { options, arguments: command.args, json: json === true, problems };
    process.exitCode = await perform(job, given, timing);
    setTimeout(() => process.exit(), longestAfterwardsMs).unref();
  });
}

/** Adds the options and arguments of a job, and `--organization` if it takes that. */
export function addOptions(command: Command, { options, organizations }: Job): void {
  options?.(command);
  if (organizations !== undefined)
    command.option(
      '--organization <name>',
      organizations === 'one'
        ? 'the organization of ORGANIZATIONS_FILE'
        : 'only this organization of ORGANIZATIONS_FILE; may be repeated',
      (name: string, before: readonly string[] = []) => [...before, name],
    );
}

/** Builds the program of these jobs; `timing` sets the length of their waits. */
export function programOf(jobs: readonly (Job | JobFamily)[], version: string, timing?: Timing): Command {
  const problems: string[] = [];
  const program = new Command('usage-etl')
    .description("Loads a software-agent platform's usage analytics into a Postgres warehouse.")
    .option(...jsonOption)
    .version(version)
    .addHelpText('after', `\nExample:\n  ${inShell('backfill --from 2026-01-14')}`);
  problemsOf.set(program, problems);
  for (const job of jobs) program.addCommand(commandOf(job, problems, timing));
  return program;
}

/** Runs one job as a program of its own: `node jobs/nightly.ts`. */
export async function runJobFile(job: Job | JobFamily): Promise<void> {
  keepPrivate();
  await runCommand(commandOf(job, []), process.argv.slice(2));
}

/** Ignores errors of closed pipes: the reader of our output, such as `head`, may end before this program. */
function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error) => {
      if (codeOf(error) !== 'EPIPE') throw error;
    });
}

/**
 * Runs a command line. It never throws; it sets the exit code of the process. After an unknown option, or one without its
 * value, it parses the line again without this option, so that all problems are reported at once.
 */
export async function runCommand(command: Command, words: readonly string[]): Promise<void> {
  const problems = problemsOf.get(command) ?? [];
  ignoreClosedPipes();
  tellWarnings();
  prepare(command);
  let rest = words;
  for (;;) {
    try {
      await command.parseAsync(rest, { from: 'user' });
      return;
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (error.exitCode === 0) {
        process.exitCode = exitCode.done;
        return;
      }
      problems.push(sentenceOf(error));
      const option = wrongOption(error, rest);
      if (option === undefined) break;
      rest = rest.filter((_, index) => index !== option);
    }
  }
  tryToLoadOwnSettings();
  await tellFailure(problems, words.includes('--json'));
  process.exitCode = exitCode.usage;
}

function sentenceOf({ code, message }: CommanderError): string {
  // Commander throws this error for a command line without words.
  if (code === 'commander.help') return 'expected a command';
  return message.replace(/^error: /, '').replace(/\n\(Did you mean (.+)\?\)/, '; did you mean $1?');
}

/** The index of the option that commander rejected; undefined if the error is not about an option. */
function wrongOption({ code, message }: CommanderError, words: readonly string[]): number | undefined {
  if (code !== 'commander.unknownOption' && code !== 'commander.optionMissingArgument') return undefined;
  const flag = /'[^']*?(--?[^\s',=]+)[^']*'/.exec(message)?.[1];
  const place = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  return place === -1 ? undefined : place;
}

/** Loads `.env`, because it may set the format of the log. Ignores errors of the file. */
function tryToLoadOwnSettings(): void {
  try {
    loadOwnSettings();
  } catch {
    // The wrong command line is reported; an error of `.env` can wait.
  }
}

function prepare(command: Command): void {
  // Commander must not print errors: `runCommand` reports all of them at the end.
  command.exitOverride().configureOutput({ outputError: () => undefined });
  for (const below of command.commands) prepare(below);
}
