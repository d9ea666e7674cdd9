/** Runs jobs in the process of the test: a test can set the clock, and many runs are fast. */
import { choiceOf, exitCodeOf, type Job, namedSources } from '../../jobs/job.ts';
import { settingsFrom } from '../../jobs/settings.ts';
import type { Clock } from '../../src/model/clock.ts';
import { secretsOf } from '../../src/model/redaction.ts';
import type { RunObserver } from '../../src/model/run.ts';
import { createSanitizer } from '../../src/model/sanitize.ts';
import type { Timing } from '../../src/model/timing.ts';
import { openLog } from '../../src/reporting/log.ts';
import { quickTiming } from './timing.ts';

/** How a job runs, apart from its settings. */
export interface InProcess {
  /** The waiting times of the job; default: `quickTiming`. */
  readonly timing?: Timing;
  /** Called with each line of the log, as JSON. */
  readonly onLine?: (line: string) => void;
  /** Observers, each of which gets the events of every run. */
  readonly observers?: readonly RunObserver[];
}

/** How a job ended: with its result, or with an error that has an exit code of its own. */
export interface EndedInProcess {
  readonly code: number;
  readonly json: unknown;
  /** Why the exit code is not 0, in the words of the program. */
  readonly error?: string;
}

/** Runs a job at the time of `clock`. Resolves to exit code and result; throws errors that have no exit code of their own. */
export async function runInProcess(
  job: Job,
  options: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string>>,
  clock: Clock = Date.now,
  words: readonly string[] = [],
  { timing = quickTiming, onLine, observers = [] }: InProcess = {},
): Promise<EndedInProcess> {
  const problems: string[] = [];
  const given = { options, arguments: words, clock, problems };
  const run = job.prepare(given);
  const { needsPlatform } = job;
  const config = await settingsFrom(
    environment,
    {
      needsPlatform: typeof needsPlatform === 'function' ? needsPlatform(given) : needsPlatform,
      problems,
      named: namedSources(options.endpoints),
      organizations: choiceOf(job, options),
    },
    (path) => {
      throw new Error(`expected the key itself, got the file ${path}`);
    },
  );
  const redact = createSanitizer(secretsOf(config));
  const log = await openLog({
    level: onLine === undefined ? 'silent' : 'info',
    format: 'json',
    redact,
    isTerminal: false,
    colors: false,
    ...(onLine !== undefined && { stream: { write: onLine } }),
  });
  const abort = new AbortController();
  const announce = async () => undefined;
  const surroundings = {
    ...{ config, log, redact, isTerminal: false, abort, clock, timing, observers },
    ...{ json: true, announce },
  };
  try {
    const { json, exitCode = 0, error } = await run(surroundings);
    return { code: exitCode, json, ...(error !== undefined && { error }) };
  } catch (error) {
    if (exitCodeOf(error) === 1) throw error;
    return { code: exitCodeOf(error), json: undefined };
  }
}
