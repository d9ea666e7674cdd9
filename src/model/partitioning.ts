/** How a source is divided into slices, and which requests read them. Pure functions: they send and store nothing. */
import type { Day, DayRange } from './day.ts';
import type { PageInfo } from './paging.ts';

/** Column names and values, in primary key order. */
export type Scope = Readonly<Record<string, string>>;

/** Scope columns, each with the ledger column that holds its value. */
export type ScopeColumns = Readonly<Record<string, 'usage_date' | 'slice_key'>>;

/** A GET request below the base URL. */
export interface Request {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The requested days: an answer that names its days must name these. */
  readonly days?: DayRange;
}

/** The meta data of an answer. */
export interface AnswerMeta extends PageInfo {
  /** The organization of the records. */
  readonly organizationId?: string;
  /** The days of the records. */
  readonly days?: { readonly from: string; readonly to: string };
}

/** What paging must know of an answer. */
export interface Answer extends AnswerMeta {
  readonly request: Request;
  /** The texts that the records have in `field`, in order; undefined where a record has none. */
  texts(field: string): readonly (string | undefined)[];
}

/** The slices that a run selects from a source. */
export interface SliceSelection {
  /** Days to read, in order. */
  readonly days: readonly Day[];
  /** Today in UTC. */
  readonly today: Day;
  /** Keys given by the user, for sources that do not list their slices. */
  readonly named: readonly string[];
  /** Whether to read a slice; for sources with several slices. */
  readonly isWanted: (key: string) => boolean;
  /** Most slices per request. */
  readonly width: number;
}

/** Divides a source into slices. A key such as `2026-01-14` identifies a slice. */
export interface Partitioning {
  /**
   * The kind of slice. `day`: can be read again at any time. `snapshot`: the day of the reading; cannot be read again.
   * `other`: no day.
   */
  readonly kind: 'day' | 'snapshot' | 'other';
  /** Whether the user must name the slices, because the platform does not list them. */
  readonly isNamed?: boolean;
  /** The columns whose values all rows of a slice, and no others, share. */
  readonly scope: ScopeColumns;
  /** The UTC day of a slice, or null. Several slices may have the same day. */
  dayOf(key: string): Day | null;
  /** Whether a text is a valid key. */
  isKey(text: string): boolean;
  /** The field of a record with the key of its slice; undefined when records have none. */
  readonly keyField?: string;
  /** Whether an answer without records is final, or the slice stays pending. */
  readonly withoutRecords: 'believed' | 'doubted';
  /** Concurrent reads: `one` for large answers, else `several`. */
  readonly lanes: 'one' | 'several';
  /** The keys of the selected slices, in order: one list for each read. */
  plan(selection: SliceSelection): readonly (readonly string[])[];
  /** The first request of a read, for the slices with these keys. */
  first(keys: readonly string[], pageSize: number): Request;
  /** The request to send instead of one that is refused (400) or answered with too much; undefined when there is none. */
  whenRefused?(request: Request): Request | undefined;
  /**
   * The request after `answer`; undefined when `answer` is the last. `seen` keeps texts from one request of a read to the
   * next. Throws `UnexpectedAnswerError` when records would be lost or paging would never end.
   */
  next(answer: Answer, seen: Set<string>): Request | undefined;
}
