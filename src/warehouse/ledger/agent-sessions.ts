/** The register of agent sessions to read. The platform does not list them, so people or hooks register them. */
import { sql } from 'kysely';
import type { Database } from '../connection/connection.ts';

/** Registers sessions; leaves sessions that are registered already as they are. Returns how many are new. */
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

/** The reported end of a session. */
export interface SessionEnd {
  readonly id: string;
  readonly endedAt: Date;
}

/**
 * Registers sessions that ended. A later end than the registered one means that the session has gone on: it is read
 * again, even if it was finished. Clocks may differ, so an end in the future becomes now.
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

/** What a run that read sessions knows about them. */
export interface SessionReadings {
  readonly orgKey: number;
  readonly runId: string;
  /** The endpoint of the sessions' slices. */
  readonly endpoint: string;
  /** Ids that the platform does not know. */
  readonly unknown: readonly string[];
  /** A session without anything new for so many days is not read any more. */
  readonly lookbackDays: number;
}

/**
 * Marks sessions as finished that a run read completely after their end, or that brought nothing new for `lookbackDays`
 * days; a session that the platform does not know brings nothing new. A session that could not be read for another
 * reason stays unfinished.
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
