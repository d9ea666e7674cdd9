/** What all jobs share: what they are, what they get and give, exit codes, and how they read their options. */
import type { Command } from 'commander';
import type { Clock } from '../src/model/clock.ts';
import { type Day, type DayRange, earliestDay, isDay, yesterday } from '../src/model/day.ts';
import {
  ConfigurationError,
  CredentialsRefusedError,
  InterruptedError,
  LockHeldError,
} from '../src/model/errors.ts';
import type { Source } from '../src/model/source.ts';
import { namesIn } from '../src/model/source-settings.ts';
import type { JobSurroundings } from '../src/pipeline/runs/job-surroundings.ts';
import { dailySources, listedSources, sources } from '../src/sources/registry.ts';

/** Exit codes; cron and scripts rely on them. */
export const exitCode = { done: 0, incomplete: 1, usage: 2, refused: 3, locked: 4 } as const;

/** What a job gets. */
export interface JobContext extends JobSurroundings {
  readonly json: boolean;
  /** Prints at once what a job that stays up has to tell; what it ends with is not printed then. */
  readonly announce: (told: Told) => Promise<void>;
}

/** What is printed: as JSON with `--json`, else as text. Both are sanitized. */
export interface Told {
  readonly json: object;
  /** Several lines. What may be long or hold line breaks must be sanitized before it is laid out. */
  readonly text: string;
  /** Printed as it is: telling a secret is what the job is there for. */
  readonly verbatim?: boolean;
  /** E-mail addresses stay in it: telling whom it is about is what the job is there for. */
  readonly namesPersons?: boolean;
}

/** What a job ends with. */
export interface JobResult extends Told {
  readonly exitCode?: number;
  /** Why the exit code is not 0, in one sentence: `error` of the JSON. */
  readonly error?: string;
}

/** What stands on the command line, and where to put a sentence for each thing that is wrong with it. */
export interface Given {
  readonly options: Readonly<Record<string, unknown>>;
  readonly arguments: readonly string[];
  readonly clock: Clock;
  readonly problems: string[];
}

/** A job: its place on the command line, and what it does. */
export interface Job {
  readonly name: string;
  readonly description: string;
  /** A command line without the name of the program, for `--help`. */
  readonly example: string;
  /** Whether the platform's address and a credential must be set. */
  readonly needsPlatform: boolean | ((given: Pick<Given, 'options'>) => boolean);
  /** False: it does its work whatever the settings are. */
  readonly needsSettings?: false;
  /** Runs until a signal ends it, which is its way to end: exit code 0. */
  readonly staysUp?: boolean;
  /** Adds the job's own options and arguments. */
  readonly options?: (command: Command) => Command;
  /** Reads the command line, and settings that only this job can judge; nothing is begun yet. Returns what then does the job. */
  readonly prepare: (given: Given) => (context: JobContext) => Promise<JobResult>;
}

/** Jobs that share a word: `<name> <name of a job>`. */
export interface JobFamily {
  readonly name: string;
  readonly description: string;
  /** A command line without the name of the program, for `--help`. */
  readonly example: string;
  readonly jobs: readonly Job[];
}

/** The exit code that tells what stopped a job. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigurationError) return exitCode.usage;
  if (error instanceof CredentialsRefusedError) return exitCode.refused;
  if (error instanceof LockHeldError) return exitCode.locked;
  return exitCode.incomplete;
}

/** Whether a signal stopped a job. */
export function isInterrupted(error: unknown): boolean {
  return error instanceof InterruptedError;
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

/** Two endpoints, for examples of `--endpoints`. */
export const someSources = [dailySources.at(0), dailySources.at(-1)].map((source) => source?.name).join(',');

/** The sources that `--endpoints` names; none where it is not given, or names what there is not. */
export function namedSources(value: unknown): readonly string[] {
  const given = typeof value === 'string' ? namesIn(value) : [];
  return listedSources.map(({ name }) => name).filter((name) => given.includes(name));
}

/** Reads `--endpoints`; adds a sentence to `problems` for a name that is none. Without it, `all` sources are meant. */
export function chosenSources(value: unknown, problems: string[], all = sources): readonly Source[] {
  if (value === undefined) return all;
  const given = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : [];
  const known = listedSources.map(({ name }) => name);
  if (given.length === 0 || given.some((name) => !known.includes(name)))
    problems.push(`--endpoints: expected some of ${known.join(', ')}, got ${JSON.stringify(value)}`);
  return listedSources.filter(({ name }) => given.includes(name));
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
