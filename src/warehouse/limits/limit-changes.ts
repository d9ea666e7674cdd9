/**
 * The record of all attempts to change credit limits, and the known limits. The caller holds the organization's lock, and
 * writes before and after each request.
 */
import { sql } from 'kysely';
import { emailKey } from '../../model/email.ts';
import { storableText } from '../../model/json.ts';
import type { Limit, PlannedChange } from '../../model/limit-changes.ts';
import type { Database } from '../connection/connection.ts';

/** The known limits of an organization. */
export interface KnownLimits {
  /** The last confirmed limits, by `emailKey`. */
  readonly confirmed: ReadonlyMap<string, { readonly email: string; readonly limit: Limit }>;
  /** Attempts that got no answer, oldest first. */
  readonly unknown: readonly { readonly changeId: string; readonly email: string; readonly limit: Limit }[];
}

/** The outcome of an attempt. */
export type ChangeOutcome = { readonly changeId: string; readonly email: string } & (
  | { readonly outcome: 'updated'; readonly confirmed: Limit }
  | { readonly outcome: 'error'; readonly error: string }
);

/** Reads the known limits of an organization. */
export async function readKnownLimits(db: Database, orgKey: number): Promise<KnownLimits> {
  const limits = await db
    .selectFrom('warehouse.credit_limit')
    .select(['user_email', 'limit_credits'])
    .where('org_key', '=', orgKey)
    .execute();
  const unknown = await db
    .selectFrom('etl.credit_limit_change')
    .select(['change_id', 'user_email', 'requested_limit'])
    .where('org_key', '=', orgKey)
    .where('outcome', '=', 'unknown')
    .orderBy('change_id')
    .execute();
  return {
    confirmed: new Map(
      limits.map(({ user_email, limit_credits }) => [
        emailKey(user_email),
        { email: user_email, limit: limitOf(limit_credits) },
      ]),
    ),
    unknown: unknown.map(({ change_id, user_email, requested_limit }) => ({
      changeId: change_id,
      email: user_email,
      limit: limitOf(requested_limit),
    })),
  };
}

/** Records new attempts with the outcome `unknown`. Returns the attempt ids of all `changes`, in the same order. */
export async function beginChanges(
  db: Database,
  { orgKey, runId }: { readonly orgKey: number; readonly runId: string },
  changes: readonly PlannedChange[],
): Promise<string[]> {
  const fresh = changes.filter(({ changeId }) => changeId === undefined);
  const rows =
    fresh.length === 0
      ? []
      : await db
          .insertInto('etl.credit_limit_change')
          .values(
            fresh.map(({ email, limit }) => ({
              org_key: orgKey,
              user_email: email,
              requested_limit: limit,
              run_id: runId,
            })),
          )
          .returning(['change_id', 'user_email'])
          .execute();
  const idOf = new Map(rows.map(({ change_id, user_email }) => [user_email, change_id]));
  return changes.map(({ changeId, email }) => changeId ?? idOf.get(email) ?? '');
}

/** Records the outcomes of attempts, and the limits that they confirm. Call it in a transaction. */
export async function recordAnswers(
  db: Database,
  { orgKey, runId }: { readonly orgKey: number; readonly runId: string },
  answered: readonly ChangeOutcome[],
  known: KnownLimits,
): Promise<void> {
  await recordOutcomes(db, runId, answered);
  const confirmed = answered.filter((each) => each.outcome === 'updated');
  if (confirmed.length === 0) return;
  const emails = confirmed.map(({ email }) => email);
  const spelledBefore = emails.map((email) => known.confirmed.get(emailKey(email))?.email ?? email);
  await sql`
    update warehouse.credit_limit as known
    set user_email = spelling.after
    from unnest(${spelledBefore}::text[], ${emails}::text[]) as spelling (before, after)
    where known.org_key = ${orgKey}
      and known.user_email_digest = warehouse.natural_key_digest(spelling.before)
      and spelling.after <> spelling.before
  `.execute(db);
  await sql`
    insert into warehouse.credit_limit (org_key, user_email, limit_credits)
    select ${orgKey}::integer, email, limit_credits
    from unnest(${emails}::text[], ${confirmed.map((each) => each.confirmed)}::bigint[]) as answer (email, limit_credits)
    on conflict (org_key, user_email_digest) do update
    set limit_credits = excluded.limit_credits, changed_at = excluded.changed_at
    where credit_limit.limit_credits is distinct from excluded.limit_credits
  `.execute(db);
}

async function recordOutcomes(
  db: Database,
  runId: string,
  answered: readonly ChangeOutcome[],
): Promise<void> {
  if (answered.length === 0) return;
  const ids = answered.map(({ changeId }) => changeId);
  const outcomes = answered.map(({ outcome }) => outcome);
  const limits = answered.map((each) => (each.outcome === 'updated' ? each.confirmed : null));
  const errors = answered.map((each) => (each.outcome === 'error' ? storableText(each.error) : null));
  await sql`
    update etl.credit_limit_change as change
    set
      outcome = answer.outcome,
      confirmed_limit = answer.confirmed_limit,
      error = answer.error,
      answered_at = clock_timestamp(),
      answered_in_run_id = ${runId}
    from unnest(${ids}::bigint[], ${outcomes}::text[], ${limits}::bigint[], ${errors}::text[])
      as answer (change_id, outcome, confirmed_limit, error)
    where change.change_id = answer.change_id
  `.execute(db);
}

function limitOf(stored: string | null): Limit {
  return stored === null ? null : Number(stored);
}
