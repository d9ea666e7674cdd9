/** The messages that were sent about nights; they are stored in the ledger rows of runs. */
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import { storableText } from '../../model/json.ts';
import type { NightMessage } from '../../model/night.ts';
import { appVersion } from '../../model/version.ts';
import type { Database } from '../connection/connection.ts';

/** What was told about nights so far. */
export interface SentMessages {
  /** Whether a message said that this night failed. */
  readonly isFailureSent: boolean;
  /** Whether the last message said that a night failed. */
  readonly isLastFailure: boolean;
  /** When the first failed run of this night began, in ms since 1970; null if none failed since it was last complete. */
  readonly firstFailedMs: number | null;
}

/**
 * Reads whether a message told that `night` failed, and what the last message told. Reads the runs of the organization of
 * `runId`, and runs that ended before they knew their organization.
 */
export async function readSentMessages(
  db: Database,
  night: Day,
  runId: number | null,
): Promise<SentMessages> {
  const { rows } = await sql<{
    is_failure_told: boolean;
    last: NightMessage | null;
    first_failed_ms: number | null;
  }>`
    with own as materialized (
      select org_key from etl.run where run_id = ${runId}
    ),
    tried as materialized (
      select run.run_id, run.told, run.status, run.started_at, run.arguments ->> 'date' as night
      from etl.run as run
      where run.job = 'nightly'
        and (
          run.org_key is null
          or coalesce(run.org_key = (select org_key from own), true)
        )
    )
    select
      exists (select from tried where told = 'night_failed' and night = ${night}) as is_failure_told,
      (select told from tried where told is not null order by run_id desc limit 1) as last,
      (
        select extract(epoch from min(started_at))::float8 * 1000
        from tried
        where night = ${night}
          and status in ('partial', 'failed')
          and run_id > coalesce(
            (select max(run_id) from tried where night = ${night} and status = 'succeeded'),
            0
          )
      ) as first_failed_ms
  `.execute(db);
  const [found] = rows;
  return {
    isFailureSent: found?.is_failure_told === true,
    isLastFailure: found?.last === 'night_failed',
    firstFailedMs: found?.first_failed_ms ?? null,
  };
}

/**
 * The same for organizations of ORGANIZATIONS_FILE, by name: each run has the name in its arguments. Without those of which
 * no message told.
 */
export async function readSentOfOrganizations(
  db: Database,
  night: Day,
  names: readonly string[],
): Promise<ReadonlyMap<string, SentMessages>> {
  const { rows } = await sql<{ name: string; is_failure_told: boolean; last: NightMessage }>`
    select
      arguments ->> 'organization' as name,
      bool_or(told = 'night_failed' and arguments ->> 'date' = ${night}) as is_failure_told,
      (array_agg(told order by run_id desc))[1] as last
    from etl.run
    where told is not null and arguments ->> 'organization' = any(${names})
    group by arguments ->> 'organization'
  `.execute(db);
  return new Map(
    rows.map(({ name, is_failure_told, last }) => [
      name,
      { isFailureSent: is_failure_told, isLastFailure: last === 'night_failed', firstFailedMs: null },
    ]),
  );
}

/** Remembers the message that was sent at the end of these runs. */
export async function recordSentMessage(
  db: Database,
  runIds: readonly number[],
  told: NightMessage,
): Promise<void> {
  if (runIds.length === 0) return;
  await db.updateTable('etl.run').set({ told }).where('run_id', 'in', runIds.map(String)).execute();
}

/** An organization of ORGANIZATIONS_FILE whose night could not begin, so that it has no run. */
export interface NightNotBegun {
  /** Its name in the file. */
  readonly organization: string;
  readonly error: string;
}

/** Remembers that a message told of nights that could not begin, as failed runs. */
export async function recordNightsNotBegun(
  db: Database,
  night: Day,
  organizations: readonly NightNotBegun[],
): Promise<void> {
  if (organizations.length === 0) return;
  await db
    .insertInto('etl.run')
    .values(
      organizations.map(({ organization, error }) => ({
        job: 'nightly',
        arguments: JSON.stringify({ date: night, organization }),
        status: 'failed',
        app_version: appVersion,
        started_at: sql<Date>`now()`,
        finished_at: sql<Date>`now()`,
        error: storableText(error),
        told: 'night_failed',
      })),
    )
    .execute();
}
