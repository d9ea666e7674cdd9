/** What came and could not be loaded, or was not expected: kept, counted, never dropped. */
import { sql } from 'kysely';
import type { CountedDrift, Rejection } from '../../model/drift.ts';
import { storableText } from '../../model/json.ts';
import type { Slice } from '../../model/source.ts';
import type { Database } from '../connection/connection.ts';
import { storableJson } from './storable-json.ts';

const rowsPerStatement = 500;

/** What was rejected of a slice. */
export interface RejectedOfSlice {
  readonly slice: Slice;
  readonly rejected: readonly Rejection[];
}

/** Makes the quarantine hold exactly the records of slices of one source that their newest answers could not load. */
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

/** Adds surprises of one endpoint to the drift counters. */
export async function countDrift(
  db: Database,
  orgKey: number,
  runId: string,
  endpoint: string,
  drift: readonly CountedDrift[],
): Promise<void> {
  const counted = new Map<string, CountedDrift>();
  for (const found of drift) {
    const identity = `${found.kind} ${storableText(found.path)}`;
    const occurrences = (counted.get(identity)?.occurrences ?? 0) + found.occurrences;
    counted.set(identity, { ...found, occurrences });
  }
  // One order for all transactions, so that two of them never wait for each other's rows.
  const sorted = [...counted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, found]) => found);
  for (let start = 0; start < sorted.length; start += rowsPerStatement)
    await db
      .insertInto('etl.drift')
      .values(
        sorted.slice(start, start + rowsPerStatement).map(({ path, kind, example, occurrences }) => ({
          org_key: orgKey,
          endpoint,
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
