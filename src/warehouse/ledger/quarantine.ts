/**
 * The quarantine keeps records that could not be loaded. The drift counters count unexpected fields, each with an
 * example.
 */
import { sql } from 'kysely';
import type { CountedDrift, Rejection } from '../../model/drift.ts';
import type { Slice } from '../../model/source.ts';
import type { Database } from '../connection/connection.ts';

const rowsPerStatement = 500;

/** The rejected records of a slice. */
export interface RejectedOfSlice {
  readonly slice: Slice;
  readonly rejected: readonly Rejection[];
}

/** Replaces the rejected records of slices of one source by the rejected records of their newest answers. */
export async function replaceRejected(
  db: Database,
  orgKey: number,
  runId: string,
  ofSlices: readonly RejectedOfSlice[],
): Promise<void> {
  const [first] = ofSlices;
  if (first === undefined) return;
  await db
    .deleteFrom('etl.rejected_row')
    .where('org_key', '=', orgKey)
    .where('endpoint', '=', first.slice.endpoint)
    .where(
      'slice_key',
      'in',
      ofSlices.map(({ slice }) => slice.key),
    )
    .execute();
  for (const { slice, rejected } of ofSlices)
    for (let start = 0; start < rejected.length; start += rowsPerStatement)
      await insertRejected(db, orgKey, runId, slice, rejected.slice(start, start + rowsPerStatement));
}

/** Inserts rejected records. Sends arrays: a parameter for each value would take many times the memory of the values. */
async function insertRejected(
  db: Database,
  orgKey: number,
  runId: string,
  { endpoint, key, usageDate }: Slice,
  rejected: readonly Rejection[],
): Promise<void> {
  const column = (name: keyof Rejection) => sql`${rejected.map((rejection) => rejection[name])}::text[]`;
  await sql`
    insert into etl.rejected_row
      (run_id, org_key, endpoint, usage_date, slice_key, path, reason, payload)
    select ${runId}, ${orgKey}, ${endpoint}, ${usageDate}, ${key}, path, reason, payload::jsonb
    from unnest(${column('path')}, ${column('reason')}, ${column('payload')}) as rejected (path, reason, payload)
  `.execute(db);
}

/** Adds drift of one endpoint to the drift counters. */
export async function countDrift(
  db: Database,
  orgKey: number,
  runId: string,
  endpoint: string,
  drift: readonly CountedDrift[],
): Promise<void> {
  const counted = new Map<string, CountedDrift>();
  for (const found of drift) {
    const identity = `${found.kind} ${found.path}`;
    const occurrences = (counted.get(identity)?.occurrences ?? 0) + found.occurrences;
    counted.set(identity, { ...found, occurrences });
  }
  // All transactions write in the same order, so that two of them cannot deadlock.
  const sorted = [...counted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, found]) => found);
  for (let start = 0; start < sorted.length; start += rowsPerStatement)
    await db
      .insertInto('etl.drift')
      .values(
        sorted.slice(start, start + rowsPerStatement).map(({ path, kind, example, occurrences }) => ({
          org_key: orgKey,
          endpoint,
          path,
          kind,
          example,
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
