/** What came and could not be loaded, or was not expected: kept, counted, never dropped. */
import { sql } from 'kysely';
import type { CountedDrift, Rejection } from '../../model/drift.ts';
import { storableText } from '../../model/json.ts';
import type { Slice } from '../../model/source.ts';
import type { Database } from '../connection/connection.ts';
import { storableJson } from './storable-json.ts';

const rowsPerStatement = 500;

/** Where rejected rows and drift belong. */
export interface Origin {
  readonly orgKey: number;
  readonly runId: string;
  readonly slice: Slice;
}

/** Makes the quarantine hold exactly the rows of this slice that the newest answer could not load. */
export async function replaceRejected(
  db: Database,
  { orgKey, runId, slice }: Origin,
  rejected: readonly Rejection[],
): Promise<void> {
  await db
    .deleteFrom('etl.rejected_row')
    .where('org_key', '=', orgKey)
    .where('endpoint', '=', slice.endpoint)
    .where('slice_key', '=', slice.key)
    .execute();
  for (let start = 0; start < rejected.length; start += rowsPerStatement)
    await db
      .insertInto('etl.rejected_row')
      .values(
        rejected.slice(start, start + rowsPerStatement).map(({ path, reason, payload }) => ({
          run_id: runId,
          org_key: orgKey,
          endpoint: slice.endpoint,
          usage_date: slice.usageDate,
          slice_key: slice.key,
          path,
          reason: storableText(reason),
          payload: storableJson(payload),
        })),
      )
      .execute();
}

/** Adds surprises to the drift counters. */
export async function countDrift(
  db: Database,
  { orgKey, runId, slice }: Origin,
  drift: readonly CountedDrift[],
): Promise<void> {
  // One order for all transactions, so that two of them never wait for each other's rows.
  const sorted = [...drift].sort((a, b) => (`${a.kind} ${a.path}` < `${b.kind} ${b.path}` ? -1 : 1));
  for (let start = 0; start < sorted.length; start += rowsPerStatement)
    await db
      .insertInto('etl.drift')
      .values(
        sorted.slice(start, start + rowsPerStatement).map(({ path, kind, example, occurrences }) => ({
          org_key: orgKey,
          endpoint: slice.endpoint,
          path: storableText(path),
          kind,
          example: storableText(example),
          occurrences,
          run_id: runId,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['org_key', 'endpoint', 'kind', 'path_digest']).doUpdateSet((eb) => ({
          occurrences: sql<string>`drift.occurrences + excluded.occurrences`,
          example: eb.ref('excluded.example'),
          last_seen_at: sql<Date>`now()`,
          run_id: eb.ref('excluded.run_id'),
        })),
      )
      .execute();
}
