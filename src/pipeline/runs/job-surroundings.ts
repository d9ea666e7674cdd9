/** What every job is given: settings, clock, log, signal. */
import type { Clock } from '../../model/clock.ts';
import type { Config } from '../../model/config.ts';
import type { RunObserver } from '../../model/run.ts';
import type { Sanitizer } from '../../model/sanitize.ts';
import type { Timing } from '../../model/timing.ts';
import type { Log } from '../../reporting/log.ts';
import type { Warehouse } from './open-warehouse.ts';
import type { UnrecordedEnds } from './unrecorded-ends.ts';

/** Where and how a job runs. */
export interface JobSurroundings {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** What every text passes that is shown or recorded as an error. */
  readonly redact: Sanitizer;
  /** Whether standard error is a terminal. */
  readonly isTerminal: boolean;
  readonly abort: AbortController;
  /** How long waits last that no setting names; `defaultTiming` unless a test is in a hurry. */
  readonly timing?: Timing | undefined;
  /** Who else watches every run; default nobody. */
  readonly observers?: readonly RunObserver[];
  /** For a process that lives on: ends of runs that could not be recorded. */
  readonly unrecorded?: UnrecordedEnds;
  /** A warehouse that is open already: who opened it closes it, and `abort` cancels what is under way in it. */
  readonly warehouse?: Warehouse;
}

/** The same with an open warehouse. */
export interface OpenSurroundings extends JobSurroundings {
  readonly warehouse: Warehouse;
}
