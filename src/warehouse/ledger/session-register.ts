/** The register of slices that only somebody can name: which are wanted, and until when they are read. */
import { sql } from 'kysely';
import type { Database } from '../connection/connection.ts';

/** Registers sessions; those that are registered stay as they are. Returns how many are new. */
export async function registerSessions(
  db: Database,
  orgKey: number,
  ids: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ added: number }>`
    with added as (
      insert into etl.session (org_key, session_id)
      select distinct ${orgKey}::integer, id from unnest(${ids}::text[]) as given (id)
      on conflict (org_key, session_id_digest) do nothing
      returning 1
    )
    select count(*)::integer as added from added
  `.execute(db);
  return rows[0]?.added ?? 0;
}

/** That a session ended, as somebody said. */
export interface SessionEnd {
  readonly id: string;
  readonly endedAt: Date;
}

/**
 * Registers sessions that ended. One that had ended before, and was finished, went on since: it is read again. Clocks may
 * differ: no end is later than now.
 */
export async function recordSessionEnds(
  db: Database,
  orgKey: number,
  ends: readonly SessionEnd[],
): Promise<void> {
  if (ends.length === 0) return;
  const [ids, times] = [ends.map(({ id }) => id), ends.map(({ endedAt }) => endedAt.toISOString())];
  await sql`
    insert into etl.session as known (org_key, session_id, ended_at)
    select ${orgKey}::integer, id, least(max(ended_at), now())
    from unnest(${ids}::text[], ${times}::timestamptz[]) as said (id, ended_at)
    group by id
    on conflict (org_key, session_id_digest) do update
    set ended_at = excluded.ended_at, finished_at = null
    where known.ended_at is null or known.ended_at < excluded.ended_at
  `.execute(db);
}

/** Sessions that are not finished, the newest first. */
export async function unfinishedSessions(db: Database, orgKey: number): Promise<string[]> {
  const rows = await db
    .selectFrom('etl.session')
    .select('session_id')
    .where('org_key', '=', orgKey)
    .where('finished_at', 'is', null)
    .orderBy('registered_at', 'desc')
    .orderBy('session_id')
    .execute();
  return rows.map(({ session_id }) => session_id);
}

/** What a run found out of sessions. */
export interface SessionReadings {
  readonly orgKey: number;
  readonly runId: string;
  /** The endpoint of their slices. */
  readonly endpoint: string;
  /** Ids that the platform does not know. */
  readonly unknown: readonly string[];
  /** Without anything new for so many days, no session is read any more. */
  readonly lookbackDays: number;
}

/**
 * Finishes sessions that a run read whole after their end, or whose answers brought nothing new for `lookbackDays` days; an
 * answer that the session is not known brings nothing. One that could not be read for another reason goes on.
 */
export async function finishSessions(
  db: Database,
  { orgKey, runId, endpoint, unknown, lookbackDays }: SessionReadings,
): Promise<void> {
  await sql`
    update etl.session as s
    set finished_at = now()
    from etl.slice as l
    where s.org_key = ${orgKey}
      and s.finished_at is null
      and l.org_key = s.org_key
      and l.endpoint = ${endpoint}
      and l.slice_key = s.session_id
      and l.run_id = ${runId}
      and (
        (l.status in ('loaded', 'empty') and l.last_failed_at is null and s.ended_at is not null)
        or (
          ((l.status in ('loaded', 'empty') and l.last_failed_at is null) or s.session_id = any(${unknown}::text[]))
          and greatest(s.registered_at, s.ended_at, l.loaded_at) <= now() - make_interval(days => ${lookbackDays}::integer)
        )
      )
  `.execute(db);
}
