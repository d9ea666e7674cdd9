/** Changes of credit limits, as they are planned, told and looked up: by whoever sends, stores or shows them. */

/** A limit in Standard Credits; null: none of the user's own. */
export type Limit = number | null;

/** One limit that is to be sent. */
export interface PlannedChange {
  readonly email: string;
  /** The last that the platform confirmed; undefined where none is known, or an attempt since then had no answer. */
  readonly before: Limit | undefined;
  readonly limit: Limit;
  /** The attempt that is sent again; undefined for a new one. */
  readonly changeId: string | undefined;
  /** Attempts without an answer that are not sent again: this one takes their place as soon as it is confirmed. */
  readonly replaces: readonly string[];
}

/** What `limits apply` is going to do. */
export interface LimitsPlan {
  /** Those about whom an answer is missing come first. */
  readonly changes: readonly PlannedChange[];
  /** Lines of the file whose limit is confirmed already. */
  readonly alreadySet: number;
}

/** Figures of a plan, in users and Standard Credits; the names are a public interface. */
export interface PlanFigures {
  readonly users: number;
  readonly already_set: number;
  readonly sent_again: number;
  readonly raised: number;
  readonly lowered: number;
  readonly removed: number;
  /** Those who get a limit and had none, or of whom none is known. */
  readonly first: number;
  /** New limits minus old ones, over those who are raised or lowered. */
  readonly sum_of_change: number;
  /** New limits of those who get their first. */
  readonly sum_of_first: number;
}

/** What the platform said of one limit. */
export type Outcome =
  | { readonly outcome: 'updated'; readonly confirmed: Limit }
  | { readonly outcome: 'error'; readonly error: string }
  /** Nobody knows; why. */
  | { readonly outcome: 'unknown'; readonly error: string };

/** A change that was planned, and what became of it; `not_sent` where the run ended before. */
export interface ReportedChange extends PlannedChange {
  readonly became: Outcome | { readonly outcome: 'not_sent' };
}

/** An attempt as `limits history` tells it; the names are a public interface. */
export interface PastChange {
  readonly change_id: number;
  readonly organization: string;
  readonly email: string;
  readonly requested_limit: Limit;
  readonly outcome: string;
  /** Means something only where the outcome is `updated`. */
  readonly confirmed_limit: Limit;
  readonly error: string | null;
  readonly run_id: number;
  /** ISO 8601 in UTC. */
  readonly requested_at: string;
  readonly answered_at: string | null;
}

/** The figures of a plan. */
export function figuresOf({ changes, alreadySet }: LimitsPlan): PlanFigures {
  const steps = changes.flatMap(({ before, limit }) =>
    typeof before === 'number' && limit !== null ? [limit - before] : [],
  );
  const first = changes.flatMap(({ before, limit }) =>
    typeof before !== 'number' && limit !== null ? [limit] : [],
  );
  return {
    users: changes.length,
    already_set: alreadySet,
    sent_again: changes.filter(({ changeId }) => changeId !== undefined).length,
    raised: steps.filter((step) => step > 0).length,
    lowered: steps.filter((step) => step < 0).length,
    removed: changes.filter(({ limit }) => limit === null).length,
    first: first.length,
    sum_of_change: sum(steps),
    sum_of_first: sum(first),
  };
}

/** Whether somebody must look at it: everything but the limit that was asked for, confirmed. */
export function isAmiss({ limit, became }: ReportedChange): boolean {
  return became.outcome !== 'updated' || became.confirmed !== limit;
}

/** Why a change is amiss, in words. */
export function reasonOf({ became }: ReportedChange): string {
  if (became.outcome === 'not_sent') return 'the run ended before';
  if (became.outcome !== 'updated') return became.error;
  return `the platform confirmed ${became.confirmed ?? 'no limit'} instead`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
