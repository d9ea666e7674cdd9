/** What all jobs share: arguments, environment, output, signals, exit codes. */
import { Command, CommanderError } from 'commander';
import { type Clock, systemClock } from '../src/model/clock.ts';
import { type Day, type DayRange, earliestDay, isDay, yesterday } from '../src/model/day.ts';
import {
  ConfigurationError,
  CredentialsRefusedError,
  explain,
  InterruptedError,
  LockHeldError,
} from '../src/model/errors.ts';
import { createDoor, type Door, throughDoor } from '../src/model/foreign-text.ts';
import { secretsOf } from '../src/model/redaction.ts';
import type { DailySource } from '../src/model/source.ts';
import type { JobSurroundings } from '../src/pipeline/run.ts';
import { openLog } from '../src/reporting/log.ts';
import { sources } from '../src/sources/registry.ts';
import { keepPrivate } from './keep-private.ts';
import { readSettings } from './settings.ts';

/** Exit codes; cron and scripts rely on them. */
export const exitCode = { done: 0, incomplete: 1, usage: 2, refused: 3, locked: 4 } as const;

/** Time that a job gets to finish or roll back what it has in hand after SIGTERM or SIGINT. */
const graceMs = 9_000;

/** What a job gets. */
export interface JobContext extends JobSurroundings {
  readonly json: boolean;
}

/** What a job ends with: printed as JSON with `--json`, else as text. Both pass the door for foreign text. */
export interface JobResult {
  readonly json: unknown;
  /** Several lines. What may be long or hold line breaks must have passed the door before it was laid out. */
  readonly text: string;
  /** Printed as it is: telling a secret is what the job is there for. */
  readonly verbatim?: boolean;
  readonly exitCode?: number;
}

/** A job: its place on the command line, and what it does. */
export interface Job {
  readonly name: string;
  readonly description: string;
  readonly needsPlatform: boolean;
  /** Adds the job's own options and arguments. */
  readonly options?: (command: Command) => Command;
  readonly run: (context: JobContext, options: Readonly<Record<string, unknown>>) => Promise<JobResult>;
}

/** Builds the command of a job; `onEnd` gets the exit code. */
export function commandOf(job: Job, onEnd: (code: number) => void): Command {
  const command = new Command(job.name)
    .description(job.description)
    .option('--json', 'print one JSON object on standard output when it ends, and nothing else there')
    .allowExcessArguments(false);
  job.options?.(command);
  return command.action(async (options: Readonly<Record<string, unknown>>) =>
    onEnd(await perform(job, options)),
  );
}

/** Runs a command line against a program of jobs; never throws, sets the exit code of the process. */
export async function runCommand(command: Command, commandLine: readonly string[]): Promise<void> {
  prepare(command);
  try {
    await command.parseAsync(commandLine, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? exitCode.done : exitCode.usage;
  }
}

/** Runs one job as a program of its own: `node jobs/nightly.ts`. */
export async function runJobFile(job: Job): Promise<void> {
  keepPrivate();
  await runCommand(
    commandOf(job, (code) => {
      process.exitCode = code;
    }),
    process.argv.slice(2),
  );
}

function prepare(command: Command): void {
  command.exitOverride().configureOutput({
    outputError: (text, write) => write(text.replace(/^error: /, 'usage-etl: ')),
  });
  for (const below of command.commands) prepare(below);
}

async function perform(job: Job, options: Readonly<Record<string, unknown>>): Promise<number> {
  const json = options.json === true;
  const abort = new AbortController();
  const stopListening = listenForSignals(abort);
  let redact = createDoor([]);
  try {
    const context = await openContext(job, json, abort);
    ({ redact } = context);
    const result = await job.run(context, options);
    await print(outputOf(result, json, redact));
    return result.exitCode ?? exitCode.done;
  } catch (error) {
    // Unknown errors are faults of this program: their stack is for whoever mends it, and only when asked for.
    if (process.env.LOG_LEVEL === 'trace' && error instanceof Error)
      process.stderr.write(`${linesThroughDoor(error.stack ?? '', redact)}\n`);
    const sentences = sentencesOf(error).map((sentence) => redact(sentence));
    for (const sentence of sentences) process.stderr.write(`usage-etl: ${sentence}\n`);
    if (json) await print(JSON.stringify({ status: 'failed', error: sentences.join('; ') }));
    return exitCodeOf(error);
  } finally {
    stopListening();
  }
}

/** Reads the settings as they are now, and opens the log that hides the secrets in them. */
export async function openContext(
  { needsPlatform }: Pick<Job, 'needsPlatform'>,
  json: boolean,
  abort: AbortController,
): Promise<JobContext> {
  const config = readSettings(needsPlatform);
  const redact = createDoor(secretsOf(config, process.env));
  const isTerminal = process.stderr.isTTY === true && !json;
  const log = await openLog({ level: config.logLevel, format: config.logFormat, redact, isTerminal });
  return { config, log, redact, isTerminal, abort, clock: systemClock, json };
}

function outputOf({ json, text, verbatim }: JobResult, asJson: boolean, redact: Door): string {
  if (verbatim === true) return asJson ? JSON.stringify(json) : text;
  return asJson ? JSON.stringify(throughDoor(json, redact)) : linesThroughDoor(text, redact);
}

/** A list may be long, and its lines are: they were cut where they were made. */
const mostOfLine = 10_000;

function linesThroughDoor(text: string, redact: Door): string {
  return text
    .split('\n')
    .map((line) => redact(line, mostOfLine))
    .join('\n');
}

/** Problems of usage are told one by one; any other error is one sentence, whatever line breaks it quotes. */
function sentencesOf(error: unknown): readonly string[] {
  return error instanceof ConfigurationError && error.problems.length > 1 ? error.problems : [explain(error)];
}

/** The exit code that tells what stopped a job. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigurationError) return exitCode.usage;
  if (error instanceof CredentialsRefusedError) return exitCode.refused;
  if (error instanceof LockHeldError) return exitCode.locked;
  return exitCode.incomplete;
}

function listenForSignals(abort: AbortController): () => void {
  const stop = (signal: NodeJS.Signals) => {
    if (!abort.signal.aborted) abort.abort(new InterruptedError(`interrupted by ${signal}`));
    setTimeout(() => {
      process.stderr.write(
        'usage-etl: did not end in time after the signal; the database rolls back what was open\n',
      );
      process.exit(exitCode.incomplete);
    }, graceMs).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return () => {
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
  };
}

function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text === '' ? '' : `${text}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

/** Reads a day option. Adds a sentence to `problems` when it is no day that the platform serves. */
export function dayOption(
  value: unknown,
  option: string,
  fallback: Day,
  clock: Clock,
  problems: string[],
): Day {
  if (value === undefined) return fallback;
  const last = yesterday(clock);
  if (typeof value !== 'string' || !isDay(value)) {
    problems.push(`${option}: expected a day as YYYY-MM-DD, got ${JSON.stringify(value)}`);
    return fallback;
  }
  if (value < earliestDay)
    problems.push(`${option}: the platform has no data before ${earliestDay}, got ${value}`);
  if (value > last)
    problems.push(`${option}: the last day there can be is yesterday in UTC, ${last}; got ${value}`);
  return value;
}

/** Reads `--from` and `--to`; adds a sentence to `problems` for each that is wrong. */
export function dayRangeOptions(
  options: Readonly<Record<string, unknown>>,
  fallback: DayRange,
  clock: Clock,
  problems: string[],
): DayRange {
  const found: string[] = [];
  const from = dayOption(options.from, '--from', fallback.from, clock, found);
  const to = dayOption(options.to, '--to', fallback.to, clock, found);
  if (found.length === 0 && from > to) found.push(`--from: ${from} is after --to ${to}`);
  problems.push(...found);
  return { from, to };
}

/** Reads `--endpoints`; adds a sentence to `problems` for a name that is none. */
export function chosenSources(value: unknown, problems: string[]): readonly DailySource[] {
  if (value === undefined) return sources;
  const names = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : [];
  const known = sources.map(({ name }) => name);
  if (names.length === 0 || names.some((name) => !known.includes(name)))
    problems.push(`--endpoints: expected some of ${known.join(', ')}, got ${JSON.stringify(value)}`);
  return sources.filter(({ name }) => names.includes(name));
}

/** Reads a whole-number option within bounds; adds a sentence to `problems` when it is none. */
export function wholeOption(
  value: unknown,
  option: string,
  fallback: number,
  [min, max]: readonly [number, number],
  problems: string[],
): number {
  if (value === undefined) return fallback;
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  problems.push(`${option}: expected a whole number from ${min} to ${max}, got ${JSON.stringify(value)}`);
  return fallback;
}

/** Throws all problems at once, if there are any. */
export function refuseProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new ConfigurationError(problems);
}
