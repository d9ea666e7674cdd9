/** Every job gets these: settings, clock, log, signal. */
import type { Clock } from '../../model/clock.ts';
import type { Config } from '../../model/config.ts';
import type { RunObserver } from '../../model/run.ts';
import type { Sanitizer } from '../../model/sanitize.ts';
import type { Timing } from '../../model/timing.ts';
import type { Log } from '../../reporting/log.ts';
import type { Warehouse } from './open-warehouse.ts';
import type { SharedByRuns } from './shared-by-runs.ts';
import type { UnrecordedEnds } from './unrecorded-ends.ts';

/** The surroundings of a job. */
export interface JobSurroundings {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** Sanitizes every text that is shown or recorded as an error. */
  readonly redact: Sanitizer;
  /** Whether standard error is a terminal. */
  readonly isTerminal: boolean;
  readonly abort: AbortController;
  /** The length of waits that have no setting. Tests set shorter ones; the default is `defaultTiming`. */
  readonly timing?: Timing | undefined;
  /** Each of them gets the events of every run; default none. */
  readonly observers?: readonly RunObserver[];
  /** Ends of runs that could not be recorded. Only a process that does several runs has it. */
  readonly unrecorded?: UnrecordedEnds;
  /** An open warehouse. The function that opened it closes it; `abort` cancels the queries that run in it. */
  readonly warehouse?: Warehouse;
  /** What this run shares with others that run in the same warehouse at the same time. */
  readonly shared?: SharedByRuns;
}

/** The same with an open warehouse. */
export interface OpenSurroundings extends JobSurroundings {
  readonly warehouse: Warehouse;
}
