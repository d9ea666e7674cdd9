/** The messages that were sent about nights; the ledger rows of their runs hold them. */
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { NightMessage } from '../../model/night.ts';
import type { Database } from '../connection/connection.ts';

/** The messages that were sent so far. */
export interface SentMessages {
  /** Whether a message said that this night failed. */
  readonly isFailureSent: boolean;
  /** Whether the last message said that a night failed. */
  readonly isLastFailure: boolean;
}

/**
 * Reads the messages about `night`, and the last one. It reads the runs of the organization of `runId`, and runs that
 * ended before they knew their organization.
 */
export async function readSentMessages(
  db: Database,
  night: Day,
  runId: number | null,
): Promise<SentMessages> {
  const { rows } = await sql<{ is_failure_told: boolean; last: NightMessage | null }>`
    with own as materialized (
      select org_key from etl.run where run_id = ${runId}
    ),
    told as materialized (
      select run.run_id, run.told, run.arguments ->> 'date' as night
      from etl.run as run
      where run.told is not null
        and (
          run.org_key is null
          or coalesce(run.org_key = (select org_key from own), true)
        )
    )
    select
      exists (select from told where told = 'night_failed' and night = ${night}) as is_failure_told,
      (select told from told order by run_id desc limit 1) as last
  `.execute(db);
  const [found] = rows;
  return {
    isFailureSent: found?.is_failure_told === true,
    isLastFailure: found?.last === 'night_failed',
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
      { isFailureSent: is_failure_told, isLastFailure: last === 'night_failed' },
    ]),
  );
}

/** Remembers the message that was sent at the end of these runs. */
export async function recordSentMessage(
  db: Database,
  runIds: readonly number[],
  told: NightMessage,
): Promise<void> {
  await db.updateTable('etl.run').set({ told }).where('run_id', 'in', runIds.map(String)).execute();
}
