/** How a source is divided into slices, and how these are asked for. Pure: nothing here sends or stores anything. */
import type { Day, DayRange } from './day.ts';
import type { Following } from './paging.ts';

/** Column names and values, in the order of the columns in the primary keys. */
export type Scope = Readonly<Record<string, string>>;

/** Scope columns, and the column of the ledger that has the value of each. */
export type ScopeColumns = Readonly<Record<string, 'usage_date' | 'slice_key'>>;

/** What is asked of the platform, below its base URL. */
export interface Request {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The days that the answer must name, if it names any. */
  readonly days?: DayRange;
}

/** What an answer says beside its records. */
export interface AnswerMeta extends Following {
  /** The organization that it is of. */
  readonly organizationId?: string;
  /** The days that it is of. */
  readonly days?: { readonly from: string; readonly to: string };
}

/** An answer as paging sees it. */
export interface Answer extends AnswerMeta {
  readonly request: Request;
  /** Its records: of each the text of a field, undefined where it has none. */
  texts(field: string): readonly (string | undefined)[];
}

/** What a run wants of a source. */
export interface SliceSelection {
  /** Days that it may read, in order. */
  readonly days: readonly Day[];
  /** The UTC day of this moment. */
  readonly today: Day;
  /** Keys of slices that only somebody else can name. */
  readonly named: readonly string[];
  /** Whether a slice is to be read, where there is a choice. */
  readonly isWanted: (key: string) => boolean;
  /** Slices that one request should ask for at most. */
  readonly width: number;
}

/** The slices of a source. A slice is known by its key, such as `2026-01-14`. */
export interface Partitioning {
  /**
   * What a slice is: a day that can be read at any later time; the day of its reading, which cannot be read again; or no
   * day at all.
   */
  readonly kind: 'day' | 'snapshot' | 'other';
  /** Whether somebody must name its slices, because the platform lists them nowhere. */
  readonly isNamed?: boolean;
  /** What all rows of a slice, and no others, have in common. */
  readonly scope: ScopeColumns;
  /** The UTC day that a slice speaks of, or null. Several slices may speak of one day. */
  dayOf(key: string): Day | null;
  /** Whether a text may be the key of a slice. */
  isKey(text: string): boolean;
  /** The field of a record that has the key of its slice. Undefined where records do not say. */
  readonly keyField?: string;
  /** Whether an answer without records is believed at once, or may be a mistake. */
  readonly withoutRecords: 'believed' | 'doubted';
  /** Reads under way at once: one where an answer is large, else several. */
  readonly lanes: 'one' | 'several';
  /** The keys of the slices to read, in order; those that are asked for together stand together. */
  plan(selection: SliceSelection): readonly (readonly string[])[];
  /** The first request for slices that are asked for together. */
  first(keys: readonly string[], pageSize: number): Request;
  /**
   * What to ask instead of a request that the platform refuses (400), or whose answer is too large; undefined when there
   * is nothing else.
   */
  whenRefused?(request: Request): Request | undefined;
  /**
   * The request after `answer`, or undefined when that was all. `seen` holds texts of this read from one request to the
   * next. Throws `UnexpectedAnswerError` where records would be lost, or paging would never end.
   */
  next(answer: Answer, seen: Set<string>): Request | undefined;
}
