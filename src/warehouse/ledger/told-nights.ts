/** What was told about nights: it stands in the rows of their runs. */
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { NightMessage } from '../../model/night.ts';
import type { Database } from '../connection/connection.ts';

/** What is known of messages before another one is sent. */
export interface ToldNights {
  /** Whether it was told that this night failed. */
  readonly isFailureTold: boolean;
  /** Whether the last message of all was that a night failed. */
  readonly isFailureLast: boolean;
}

/**
 * What was told of `night`, and last. A run counts for the organization of `runId`; so does one that ended before the
 * platform had named its organization.
 */
export async function readToldNights(db: Database, night: Day, runId: number | null): Promise<ToldNights> {
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
    isFailureTold: found?.is_failure_told === true,
    isFailureLast: found?.last === 'night_failed',
  };
}

/** Remembers what was told at the end of a run. */
export async function recordTold(db: Database, runId: number, told: NightMessage): Promise<void> {
  await db.updateTable('etl.run').set({ told }).where('run_id', '=', String(runId)).execute();
}
