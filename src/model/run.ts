/** What a run does and tells: to the ledger, to a progress bar, to a log, to `--json`. */
import type { Day } from './day.ts';
import type { CountedDrift } from './drift.ts';
import type { Slice } from './source.ts';

/** How a run ended: `partial` loaded some slices and failed on others. */
export type RunStatus = 'succeeded' | 'partial' | 'failed';

/** What happened to fact tuples. */
export interface RowChanges {
  inserted: number;
  updated: number;
  deleted: number;
}

/** A table of a slice that an answer would have shrunk too much: the rows that it holds, and would hold. */
export interface ShrunkTable {
  readonly table: string;
  readonly held: number;
  readonly wouldHold: number;
}

/** Why an answer was not believed; what was there is kept, until a person decides. */
export interface Refusal {
  readonly reason: string;
  readonly tables: readonly ShrunkTable[];
}

/** What became of a slice that did not fail. */
export interface LoadOutcome extends RowChanges {
  readonly result: 'loaded' | 'unchanged' | 'empty' | 'pending' | 'refused';
  readonly rejected: number;
  /** Undefined unless the result is `refused`. */
  readonly refused: Refusal | undefined;
}

/** What a run will ask the platform, as far as it is known before it asks. */
export interface PlannedRequests {
  /** Pages beyond the first are not known yet. */
  readonly atLeast: number;
  /** What these take by the rate budget and the answers so far. */
  readonly expectedMs: number;
}

/** What a request is sent for. */
export interface RequestPurpose {
  readonly endpoint: string;
  /** The slices that its answer brings. */
  readonly slices: readonly Slice[];
}

/** What came of an attempt: the HTTP status, or why there was none. */
export type AttemptStatus = number | 'timeout' | 'network';

/** An attempt to ask the platform ended. */
export interface AttemptEnded {
  readonly type: 'attempt-ended';
  /** Undefined for what is no part of a load. */
  readonly purpose: RequestPurpose | undefined;
  readonly method: string;
  /** Of the address, without the query. */
  readonly path: string;
  readonly status: AttemptStatus;
  /** 0 for the first attempt. */
  readonly retry: number;
  readonly durationMs: number;
}

/** Something worth telling; figures are totals of one slice. */
export type RunEvent =
  | { readonly type: 'run-begun'; readonly job: string; readonly runId: string }
  | { readonly type: 'run-ended'; readonly status: RunStatus }
  | {
      readonly type: 'planned';
      readonly slices: number;
      /** Those that no event like this one named before. */
      readonly newSlices: readonly Slice[];
      readonly organizationId: string;
      /** What the platform will be asked; undefined where it is not. */
      readonly asking?: PlannedRequests;
    }
  | {
      readonly type: 'slice-done';
      readonly slice: Slice;
      readonly outcome: LoadOutcome;
      readonly rowsRead: number;
      readonly drift: readonly CountedDrift[];
    }
  /** Answers that brought a slice, and perhaps others, were not as expected beside their records. */
  | {
      readonly type: 'answers-drifted';
      readonly slice: Slice;
      readonly drift: readonly CountedDrift[];
    }
  | {
      readonly type: 'slice-failed';
      readonly slice: Slice;
      readonly error: unknown;
      readonly reason: string;
      readonly rejected: number;
    }
  /** A file was imported. */
  | { readonly type: 'imported'; readonly rowsRead: number; readonly changes: RowChanges }
  /** The platform does not offer an optional source to this credential. */
  | {
      readonly type: 'source-unavailable';
      readonly slice: Slice;
      readonly reason: string;
      /** Whether that was said of its source before. */
      readonly isKnown: boolean;
    }
  /** A request waited for the rate budget. */
  | { readonly type: 'budget-waited'; readonly waitedMs: number }
  | AttemptEnded
  /** One transaction that was to write slices ended. */
  | {
      readonly type: 'load-ended';
      readonly slices: readonly Slice[];
      readonly durationMs: number;
      readonly isWritten: boolean;
    }
  | {
      readonly type: 'retry';
      readonly path: string;
      readonly retry: number;
      readonly waitMs: number;
      readonly reason: string;
    }
  | {
      readonly type: 'window-split';
      readonly endpoint: string;
      readonly days: number;
      readonly newDays: number;
      readonly reason: string;
    }
  | {
      readonly type: 'check-done';
      readonly check: string;
      readonly compared: number;
      readonly contradictions: number;
      /** Payload rows read for it. */
      readonly rowsRead: number;
    }
  | {
      readonly type: 'check-failed';
      readonly check: string;
      /** What of the check could not be done, such as days; empty for all of it. */
      readonly part: string;
      readonly reason: string;
    }
  /** The platform refuses the day that is yesterday here, and serves an older one. Times in ms since 1970. */
  | {
      readonly type: 'day-not-served';
      readonly day: Day;
      readonly servedUntil: Day;
      readonly timeHere: number;
      /** Undefined when the platform does not tell. */
      readonly timeThere: number | undefined;
    }
  /** The first answer of an organization in a warehouse that holds others. */
  | {
      readonly type: 'organization-added';
      readonly organizationId: string;
      /** How many others there are. */
      readonly others: number;
      /** One of them whose id differs in white space and case only. */
      readonly like: string | undefined;
    }
  /** An answer to a request for credit limits: how many users have theirs as wanted, and how many have not. */
  | {
      readonly type: 'limits-answered';
      readonly set: number;
      readonly notSet: number;
      readonly reason: string;
    }
  | { readonly type: 'waiting'; readonly reason: string }
  /** Rows that a replay could not bring back, because they were kept for records that could not be read. */
  | { readonly type: 'rows-not-archived'; readonly rows: number }
  /** Forgotten persons were taken out of what is stored: of rows of tables, and of chunks of the archive. */
  | {
      readonly type: 'persons-forgotten';
      readonly rows: number;
      readonly chunks: number;
      /** Slices whose archive could not be read and was removed. */
      readonly removed: readonly string[];
      /** Columns of which the planner still remembers values. */
      readonly remembered: readonly string[];
    }
  /** Days that were believed to be empty are pending again: another endpoint holds rows of them. */
  | { readonly type: 'days-reopened'; readonly slices: readonly Slice[] }
  /** Users were forgotten because they came with an address that somebody asked to forget. */
  | { readonly type: 'persons-drawn-in'; readonly users: number }
  /** An archived slice that could not be read is gone, because it may have held e-mail addresses. */
  | { readonly type: 'archive-removed'; readonly slice: string }
  /** What was older than it has to be kept is gone: rows, by table. */
  | { readonly type: 'maintained'; readonly deleted: DeletedRows }
  /** Credits could not be summed by team; what was written before stands. */
  | { readonly type: 'sums-failed'; readonly reason: string }
  | { readonly type: 'maintenance-failed'; readonly reason: string }
  | { readonly type: 'dead-runs-closed'; readonly runIds: readonly string[] }
  | { readonly type: 'database-reconnected' };

/** Rows that expired, by table; the names are a public interface (`maintenance --json`). */
export type DeletedRows = Readonly<
  Record<'runs' | 'rejected_rows' | 'drift' | 'check_results' | 'raw_slices', number>
>;

/** Hears of events as they happen; must not throw. */
export type OnRunEvent = (event: RunEvent) => void;

/** Begins to watch a run; what it returns hears of all events of that run. */
export type RunObserver = () => OnRunEvent;

/** Requests so far: all attempts, and those that were repetitions. */
export interface RequestCounts {
  sent: number;
  retried: number;
}

/**
 * What became of a source that a platform may do without. `off`: it was not asked for; `failed` also where a run ended
 * before it came to it.
 */
export type SourceState = 'loaded' | 'unchanged' | 'empty' | 'failed' | 'unavailable' | 'off';

/** What `nightly` and `backfill` print with `--json`; the names are a public interface. */
export interface RunSummary {
  readonly run_id: number;
  readonly status: RunStatus;
  readonly slices: Readonly<
    Record<'planned' | 'loaded' | 'unchanged' | 'empty' | 'pending' | 'refused' | 'failed', number>
  >;
  /** What refused answers would have shrunk; undefined when none was refused. */
  readonly refused?: readonly RefusedTable[];
  /** By name; undefined for jobs that ask the platform for nothing. */
  readonly sources?: Readonly<Record<string, SourceState>>;
  readonly rows: Readonly<Record<'read' | 'inserted' | 'updated' | 'deleted' | 'rejected', number>>;
  readonly requests: Readonly<RequestCounts>;
  /** Users who were forgotten because they came with an address that somebody asked to forget; absent where nobody was. */
  readonly forgotten?: number;
  readonly duration_ms: number;
}

/** A table that a refused answer would have shrunk; the names are a public interface. */
export interface RefusedTable {
  readonly endpoint: string;
  readonly slice_key: string;
  readonly table: string;
  readonly held: number;
  readonly would_hold: number;
}

/** A slice that needs a person's attention, and why. */
export interface NotedSlice {
  readonly endpoint: string;
  readonly key: string;
  readonly reason: string;
}

/** Drift of one kind at one path of one endpoint. */
export interface EndpointDrift extends CountedDrift {
  readonly endpoint: string;
}

/** What a run ended in, for a person to read. */
export interface RunReport {
  readonly summary: RunSummary;
  readonly failures: readonly NotedSlice[];
  /** First and last of the days with new content, by endpoint. */
  readonly loaded: readonly { readonly endpoint: string; readonly from: string; readonly to: string }[];
  /** Slices whose answers were refused; what was there is kept. */
  readonly refused: readonly NotedSlice[];
  readonly drift: readonly EndpointDrift[];
  /** What stopped the run early; undefined when nothing did. */
  readonly stoppedBy: unknown;
}
