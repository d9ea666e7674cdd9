/** The command line: from words to jobs, and an answer to words that mean nothing. */
import { Command, CommanderError } from 'commander';
import { codeOf } from '../src/model/error-code.ts';
import { inShell } from '../src/model/installation.ts';
import type { Timing } from '../src/model/timing.ts';
import { exitCode, type Job, type JobFamily } from './job.ts';
import { keepPrivate } from './keep-private.ts';
import { tellWarnings } from './node-warnings.ts';
import { perform, tellFailure } from './perform.ts';
import { loadOwnSettings } from './settings.ts';

/** What was wrong with a command line before the job itself looked at it, by the command at its root. */
const noted = new WeakMap<Command, string[]>();

/** What a job was done without is not waited for: the look-up of a name cannot be called back, and may take half a minute. */
const longestAfterwardsMs = 1_000;

const jsonOption = ['--json', 'print one JSON object on standard output, and nothing else there'] as const;

/** Builds the command of a job, or of several; `problems` gets what is wrong with its command line. */
function commandOf(job: Job | JobFamily, problems: string[], timing?: Timing): Command {
  const command = new Command(job.name)
    .description(job.description)
    .option(...jsonOption)
    .allowExcessArguments(true);
  if ('options' in job) job.options?.(command);
  // Help ends with it, whatever the job itself adds.
  command.addHelpText('after', `\nExample:\n  ${inShell(job.example)}`);
  noted.set(command, problems);
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

/** Builds the program of these jobs, whose waits last as `timing` says. */
export function programOf(jobs: readonly (Job | JobFamily)[], version: string, timing?: Timing): Command {
  const problems: string[] = [];
  const program = new Command('usage-etl')
    .description("Loads a software-agent platform's usage analytics into a Postgres warehouse.")
    .option(...jsonOption)
    .version(version)
    .addHelpText('after', `\nExample:\n  ${inShell('backfill --from 2026-01-14')}`);
  noted.set(program, problems);
  for (const job of jobs) program.addCommand(commandOf(job, problems, timing));
  return program;
}

/** Runs one job as a program of its own: `node jobs/nightly.ts`. */
export async function runJobFile(job: Job | JobFamily): Promise<void> {
  keepPrivate();
  await runCommand(commandOf(job, []), process.argv.slice(2));
}

/** Whoever reads may have seen enough, and closed the pipe: what is written after that is lost, and nothing else is wrong. */
function hearClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error) => {
      if (codeOf(error) !== 'EPIPE') throw error;
    });
}

/**
 * Runs a command line; never throws, sets the exit code of the process. An option that is none, or lacks its value, is
 * noted and left out, so that whatever else is wrong is told in the same round.
 */
export async function runCommand(command: Command, words: readonly string[]): Promise<void> {
  const problems = noted.get(command) ?? [];
  hearClosedPipes();
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
  // Without any word commander shows its help by itself.
  if (code === 'commander.help') return 'expected a command';
  return message.replace(/^error: /, '').replace(/\n\(Did you mean (.+)\?\)/, '; did you mean $1?');
}

/** The place of the option that commander stumbled over; undefined when it was something else. */
function wrongOption({ code, message }: CommanderError, words: readonly string[]): number | undefined {
  if (code !== 'commander.unknownOption' && code !== 'commander.optionMissingArgument') return undefined;
  const flag = /'[^']*?(--?[^\s',=]+)[^']*'/.exec(message)?.[1];
  const place = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  return place === -1 ? undefined : place;
}

/** For what they say of the log. Whether they are any good is not asked here. */
function tryToLoadOwnSettings(): void {
  try {
    loadOwnSettings();
  } catch {
    // The command line is wrong, and that is told.
  }
}

function prepare(command: Command): void {
  // What is wrong is told by us, after all of it was found.
  command.exitOverride().configureOutput({ outputError: () => undefined });
  for (const below of command.commands) prepare(below);
}
