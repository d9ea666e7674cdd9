/** Changes of credit limits: the plan, the answers and the history. */

/** A limit in Standard Credits; null: no limit of the user's own. */
export type Limit = number | null;

/** One limit to send. */
export interface PlannedChange {
  readonly email: string;
  /** The last confirmed limit; undefined when none is known or a later attempt got no answer. */
  readonly before: Limit | undefined;
  readonly limit: Limit;
  /** Id of the unanswered attempt that is sent again; undefined for a new change. */
  readonly changeId: string | undefined;
  /** Ids of unanswered attempts that are not sent again: this change replaces them once it is confirmed. */
  readonly replaces: readonly string[];
}

/** The plan of `limits apply`. */
export interface LimitsPlan {
  /** Users whose last attempt got no answer come first. */
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
  /** Users who get a limit, and had no limit or an unknown one. */
  readonly first: number;
  /** New limits minus old ones, summed over raised and lowered limits. */
  readonly sum_of_change: number;
  /** Sum of the new limits of the users in `first`. */
  readonly sum_of_first: number;
}

/** The platform's answer for one limit. */
export type Outcome =
  | { readonly outcome: 'updated'; readonly confirmed: Limit }
  | { readonly outcome: 'error'; readonly error: string }
  /** It is not known whether the platform has set the limit; `error` says why. */
  | { readonly outcome: 'unknown'; readonly error: string };

/** A planned change and its outcome; `not_sent` when the run ended before it. */
export interface ReportedChange extends PlannedChange {
  readonly became: Outcome | { readonly outcome: 'not_sent' };
}

/** An attempt in `limits history`; the names are a public interface. */
export interface PastChange {
  readonly change_id: number;
  readonly organization: string;
  readonly email: string;
  readonly requested_limit: Limit;
  readonly outcome: string;
  /** The limit that the platform confirmed. Ignore it unless `outcome` is `updated`. */
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

/** Whether a person must look at a change: if the platform did not confirm exactly the wanted limit. */
export function isAmiss({ limit, became }: ReportedChange): boolean {
  return became.outcome !== 'updated' || became.confirmed !== limit;
}

/** Why a person must look at a change. */
export function reasonOf({ became }: ReportedChange): string {
  if (became.outcome === 'not_sent') return 'the run ended before it was sent';
  if (became.outcome !== 'updated') return became.error;
  return `the platform confirmed ${became.confirmed ?? 'no limit'} instead`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
