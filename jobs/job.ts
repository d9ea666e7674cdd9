/** The common parts of all jobs: their types, exit codes, and functions that read options. */
import type { Command } from 'commander';
import type { Clock } from '../src/model/clock.ts';
import { type Day, type DayRange, earliestDay, isDay, yesterday } from '../src/model/day.ts';
import {
  ConfigurationError,
  CredentialsRefusedError,
  InterruptedError,
  LockHeldError,
} from '../src/model/errors.ts';
import type { OrganizationChoice } from '../src/model/organizations/chosen-organizations.ts';
import type { Source } from '../src/model/source.ts';
import { namesIn } from '../src/model/source-settings.ts';
import type { JobSurroundings } from '../src/pipeline/runs/job-surroundings.ts';
import { dailySources, listedSources, sources } from '../src/sources/registry.ts';

/** Exit codes; they are a public interface for cron and scripts. */
export const exitCode = { done: 0, incomplete: 1, usage: 2, refused: 3, locked: 4 } as const;

/** The surroundings and the output of a job. */
export interface JobContext extends JobSurroundings {
  readonly json: boolean;
  /** Prints the output of a job that stays up at once. The same output is not printed again at the end. */
  readonly announce: (told: Told) => Promise<void>;
}

/** The output of a job. `--json` prints the JSON, otherwise the text is printed. Both are sanitized. */
export interface Told {
  readonly json: object;
  /** The text, of any number of lines. Values that may be long or have line breaks must be sanitized before. */
  readonly text: string;
  /** Prints without sanitizing. Only for jobs that must show a secret or exact text. */
  readonly verbatim?: boolean;
  /** Keeps e-mail addresses. Only for jobs that must name persons. */
  readonly namesPersons?: boolean;
}

/** The result of a job. */
export interface JobResult extends Told {
  readonly exitCode?: number;
  /** Why the exit code is not 0, in one sentence; the JSON has it as `error`. */
  readonly error?: string;
}

/** The command line of a job. Add a sentence to `problems` for each problem of it. */
export interface Given {
  readonly options: Readonly<Record<string, unknown>>;
  readonly arguments: readonly string[];
  readonly clock: Clock;
  readonly problems: string[];
}

/** A job: its command, and the function that does its work. */
export interface Job {
  readonly name: string;
  /** What the job does, in one line. */
  readonly description: string;
  /** More sentences for `--help`: what to know before the job is used. */
  readonly details?: readonly string[];
  /** A command line without the name of the program, for `--help`. */
  readonly example: string;
  /** Whether the settings must have the platform's address and a credential. */
  readonly needsPlatform: boolean | ((given: Pick<Given, 'options'>) => boolean);
  /** False if the job also works with wrong settings. */
  readonly needsSettings?: false;
  /**
   * Whether it takes `--organization`: for any of ORGANIZATIONS_FILE, or for exactly one, whose settings it gets.
   * Undefined: it works on all of them.
   */
  readonly organizations?: 'any' | 'one';
  /** Whether it runs until a signal ends it. Then the exit code after a signal is 0. */
  readonly staysUp?: boolean;
  /** Adds the job's own options and arguments. */
  readonly options?: (command: Command) => Command;
  /**
   * Reads the command line, and settings that only this job checks. Returns the function that does the job; nothing is
   * started before that function is called.
   */
  readonly prepare: (given: Given) => (context: JobContext) => Promise<JobResult>;
}

/** Jobs with a common first word: `<name> <name of a job>`. */
export interface JobFamily {
  readonly name: string;
  /** What the jobs are about, in one line. */
  readonly description: string;
  /** More sentences for `--help`: what to know before the jobs are used. */
  readonly details?: readonly string[];
  /** A command line without the name of the program, for `--help`. */
  readonly example: string;
  readonly jobs: readonly Job[];
}

/** The names after `--organization`, as a list; the option may stand several times. */
export function choiceOf(
  { organizations }: Pick<Job, 'organizations'>,
  options: Readonly<Record<string, unknown>>,
): OrganizationChoice {
  const given: unknown = options.organization;
  const names = Array.isArray(given) ? given.map(String) : [];
  return { names: [...new Set(names)], takesOne: organizations === 'one' };
}

/** The exit code for an error that stopped a job. */
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

/** Reads a day option. Adds a sentence to `problems` if it is not a day that the platform serves. */
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
    problems.push(`${option}: the last possible day is yesterday in UTC, ${last}; got ${value}`);
  return value;
}

/** Reads `--from` and `--to`; adds a sentence to `problems` for each wrong one. */
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

/** The sources that the value of `--endpoints` names; unknown names are ignored. */
export function namedSources(value: unknown): readonly string[] {
  const given = typeof value === 'string' ? namesIn(value) : [];
  return listedSources.map(({ name }) => name).filter((name) => given.includes(name));
}

/** Reads `--endpoints`; adds a sentence to `problems` for an unknown name. Without the option: `all`. */
export function chosenSources(value: unknown, problems: string[], all = sources): readonly Source[] {
  if (value === undefined) return all;
  const given = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : [];
  const known = listedSources.map(({ name }) => name);
  if (given.length === 0 || given.some((name) => !known.includes(name)))
    problems.push(`--endpoints: expected some of ${known.join(', ')}, got ${JSON.stringify(value)}`);
  return listedSources.filter(({ name }) => given.includes(name));
}

/** Reads a whole-number option within bounds; adds a sentence to `problems` if it is not one. */
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
