/** A run: its status, and its events for ledger, progress bar, log and metrics. */
import type { Day } from './day.ts';
import type { CountedDrift } from './drift.ts';
import type { Slice } from './source.ts';
import type { PlannedRequests, StepKind } from './work/planned-work.ts';

/** Status of a run; `partial`: some slices loaded, others failed. */
export type RunStatus = 'succeeded' | 'partial' | 'failed';

/** Changes of fact rows. */
export interface RowChanges {
  inserted: number;
  updated: number;
  deleted: number;
}

/** A table in which an answer would have deleted too much of a slice: the rows that it holds and would hold. */
export interface ShrunkTable {
  readonly table: string;
  readonly held: number;
  readonly wouldHold: number;
}

/** A refused answer and the reason. The stored rows stay until a person decides. */
export interface Refusal {
  readonly reason: string;
  readonly tables: readonly ShrunkTable[];
}

/** The outcome of a slice that did not fail. */
export interface LoadOutcome extends RowChanges {
  readonly result: 'loaded' | 'unchanged' | 'empty' | 'pending' | 'refused';
  readonly rejected: number;
  /** The refusal, if the result is `refused`. */
  readonly refused: Refusal | undefined;
}

/** The purpose of a request. */
export interface RequestPurpose {
  readonly endpoint: string;
  /** The slices in its answer. */
  readonly slices: readonly Slice[];
}

/** The result of an attempt: the HTTP status, or why there is none. */
export type AttemptStatus = number | 'timeout' | 'network';

/** An attempt of a request ended. */
export interface AttemptEnded {
  readonly type: 'attempt-ended';
  /** What the request is for; undefined if it brings no records. */
  readonly purpose: RequestPurpose | undefined;
  readonly method: string;
  /** The path of the request, without the query. */
  readonly path: string;
  readonly status: AttemptStatus;
  /** Number of the retry; 0 for the first attempt. */
  readonly retry: number;
  readonly durationMs: number;
}

/** An event of a run; figures are totals of one slice. */
export type RunEvent =
  | {
      readonly type: 'run-begun';
      readonly job: string;
      readonly runId: string;
      /** Its name in ORGANIZATIONS_FILE; undefined without the file. */
      readonly organization?: string;
    }
  | { readonly type: 'run-ended'; readonly status: RunStatus }
  | {
      readonly type: 'planned';
      readonly slices: number;
      /** The slices that no earlier `planned` event of the run named. */
      readonly newSlices: readonly Slice[];
      readonly organizationId: string;
      /** The planned requests; undefined when the platform is not asked. */
      readonly asking?: PlannedRequests;
    }
  | {
      readonly type: 'slice-done';
      readonly slice: Slice;
      readonly outcome: LoadOutcome;
      readonly rowsRead: number;
      readonly drift: readonly CountedDrift[];
    }
  /** A run that loads nothing has planned its steps; it sends at least so many requests. */
  | {
      readonly type: 'steps-planned';
      readonly steps: Readonly<Partial<Record<StepKind, number>>>;
      readonly requestsAtLeast: number;
    }
  | { readonly type: 'steps-done'; readonly kind: StepKind; readonly steps: number }
  /** An answer for a read has arrived; more may follow. */
  | { readonly type: 'answer-received'; readonly slices: readonly [Slice, ...Slice[]] }
  /** All answers for a read have arrived. */
  | {
      readonly type: 'read-received';
      readonly slices: readonly [Slice, ...Slice[]];
      readonly records: number;
      readonly bytes: number;
      /** Number of slices in an answer of the wanted size; undefined if an answer never has more than one slice. */
      readonly fits: number | undefined;
    }
  /** The number of records of some slices is known now; `records` has it by the key of the slice. */
  | {
      readonly type: 'records-known';
      readonly endpoint: string;
      readonly records: ReadonlyMap<string, number>;
    }
  /** The answers of a slice, and perhaps of others, had drift outside of their records. */
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
      /** Whether an earlier event of the run has already named this source. */
      readonly isKnown: boolean;
    }
  /** A request waited for the rate budget; now it is sent, and `attempt-ended` follows. */
  | { readonly type: 'budget-waited'; readonly waitedMs: number }
  | AttemptEnded
  /** A transaction that writes slices ended. */
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
      /** Number of the platform's records that the check read. */
      readonly rowsRead: number;
    }
  | {
      readonly type: 'check-failed';
      readonly check: string;
      /** The part of the check that failed, such as a range of days; empty when the whole check failed. */
      readonly part: string;
      readonly reason: string;
    }
  /** The platform refuses our yesterday and serves only an older day. Times in ms since 1970. */
  | {
      readonly type: 'day-not-served';
      readonly day: Day;
      readonly servedUntil: Day;
      readonly timeHere: number;
      /** The time of the platform; undefined when it does not send any. */
      readonly timeThere: number | undefined;
    }
  /** The platform named an organization that is new to a warehouse with other organizations. */
  | {
      readonly type: 'organization-added';
      readonly organizationId: string;
      /** Number of the other organizations. */
      readonly others: number;
      /** The id of an organization in the warehouse that differs only in white space and case. */
      readonly like: string | undefined;
    }
  /** The platform answered a change of credit limits: number of users with the wanted limit, and without it. */
  | {
      readonly type: 'limits-answered';
      readonly set: number;
      readonly notSet: number;
      readonly reason: string;
    }
  | { readonly type: 'waiting'; readonly reason: string }
  /** Rows that a replay could not restore, because they belong to records that could not be read. */
  | { readonly type: 'rows-not-archived'; readonly rows: number }
  /** Forgotten persons were removed from rows of tables and chunks of the archive. */
  | {
      readonly type: 'persons-forgotten';
      readonly rows: number;
      readonly chunks: number;
      /** Slices whose archive could not be read and was removed. */
      readonly removed: readonly string[];
      /** Columns whose old values are still in the statistics of Postgres' planner. */
      readonly remembered: readonly string[];
    }
  /** Empty days are pending again, because another endpoint has rows for them. */
  | { readonly type: 'days-reopened'; readonly slices: readonly Slice[] }
  /** Users with an e-mail that `forget-user` was asked to forget were forgotten, too. */
  | { readonly type: 'forgotten-by-address'; readonly users: number }
  /** An unreadable archived slice was removed, because it may have held e-mail addresses. */
  | { readonly type: 'archive-removed'; readonly slice: string }
  /** Expired rows were deleted: their number by table. */
  | { readonly type: 'maintained'; readonly deleted: DeletedRows }
  /** Credits could not be summed by team; the loaded rows stay. */
  | { readonly type: 'sums-failed'; readonly reason: string }
  | { readonly type: 'maintenance-failed'; readonly reason: string }
  | { readonly type: 'dead-runs-closed'; readonly runIds: readonly string[] }
  | { readonly type: 'database-reconnected' };

/** Deleted rows by table; the names are a public interface (`maintenance --json`). */
export type DeletedRows = Readonly<
  Record<'runs' | 'rejected_rows' | 'drift' | 'check_results' | 'raw_slices', number>
>;

/** Called for every event; must not throw. */
export type OnRunEvent = (event: RunEvent) => void;

/** Begins to watch a run; the returned function gets all events of that run. */
export type RunObserver = () => OnRunEvent;

/** Attempts so far, and how many of them were retries. */
export interface RequestCounts {
  sent: number;
  retried: number;
}
