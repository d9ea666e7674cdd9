/** Loads slices that the warehouse holds nothing of yet, together: as many statements as for one of them. */
import { sql } from 'kysely';
import type { PackedRows } from '../../flatten/packed-rows.ts';
import type { Batch } from '../../flatten/pending-rows.ts';
import type { DailySlice } from '../../model/source.ts';
import type { TableDefinition } from '../../model/table.ts';
import type { Session } from '../connection/connection.ts';
import { type KeysOfNames, keysOf, resolveBatches } from './batch-keys.ts';
import { copyRows, linesOf } from './copy.ts';
import type { KeyCache, LearnedKeys, ResolvedKeys } from './dimension-keys.ts';
import { refreshLatestAttributes } from './latest-attribute.ts';
import { copyTarget, factName, linePrefix } from './slice-target.ts';

/** A slice of a source that has days, with all its rows. */
export interface FreshSlice {
  readonly slice: DailySlice;
  readonly batch: Batch;
}

/** Where slices of one source go. */
export interface FreshTarget {
  readonly orgKey: number;
  readonly tables: readonly TableDefinition[];
}

/**
 * Copies slices of one source straight into the facts, within the transaction of the caller. Returns undefined, and
 * has written nothing, when the warehouse holds something of one of them: somebody may have removed what the ledger
 * knew of it, to have it loaded again.
 */
export async function loadFreshSlices(
  session: Session,
  { orgKey, tables }: FreshTarget,
  fresh: readonly FreshSlice[],
  cache: KeyCache,
): Promise<LearnedKeys | undefined> {
  const [first] = fresh;
  if (first === undefined || (await holdSome(session, { orgKey, tables }, fresh))) return undefined;
  const resolved: ResolvedKeys = new Map();
  const batches = fresh.map(({ batch }) => batch);
  const keys = await resolveBatches(session.db, orgKey, batches, cache, resolved);
  const scopeColumns = Object.keys(first.slice.scope);
  for (const [index, table] of tables.entries()) {
    const target = copyTarget(factName(table), table, scopeColumns);
    const parts = fresh.flatMap(({ slice, batch }, position) => {
      const rows = batch.rows[index];
      const ofBatch = keys[position];
      return rows === undefined || ofBatch === undefined || rows.length === 0
        ? []
        : [{ rows, prefix: linePrefix(orgKey, slice), keys: ofBatch }];
    });
    if (parts.length > 0) await copyRows(session, target, linesOfAll(table, parts));
  }
  const reports = fresh.map(({ slice, batch }, index) => ({
    observed: batch.observed,
    keys: keys[index] ?? new Map(),
    usageDate: slice.usageDate,
  }));
  const { endpoint } = first.slice;
  const latestReports = await refreshLatestAttributes(session.db, reports, cache, endpoint);
  return { resolved, latestReports };
}

function* linesOfAll(
  table: TableDefinition,
  parts: readonly { rows: PackedRows; prefix: string; keys: KeysOfNames }[],
): Generator<Buffer> {
  for (const { rows, prefix, keys } of parts) yield* linesOf(rows, prefix, keysOf(table, keys));
}

/**
 * Whether a fact, the archive or the quarantine holds a row of one of the slices. Reads only keys. Counts, because for
 * the first row alone Postgres would read a table that it takes to hold many, where in fact there is none.
 */
async function holdSome(
  { db }: Session,
  { orgKey, tables }: FreshTarget,
  fresh: readonly FreshSlice[],
): Promise<boolean> {
  const [columns = []] = fresh.map(({ slice }) => Object.keys(slice.scope));
  const scopes = fresh.map(({ slice }) => sql`(${sql.join(Object.values(slice.scope))})`);
  const scope = sql.join(columns.map((column) => sql`f.${sql.ref(column)}`));
  const identities = fresh.map(({ slice }) => sql`(${slice.endpoint}, ${slice.key})`);
  const counts = [
    ...tables.map(
      (table) => sql`(
        select count(*) from ${sql.table(factName(table))} as f
        where f.org_key = ${orgKey} and (${scope}) in (${sql.join(scopes)})
      )`,
    ),
    ...['etl.raw_slice', 'etl.rejected_row'].map(
      (table) => sql`(
        select count(*) from ${sql.table(table)}
        where org_key = ${orgKey} and (endpoint, slice_key) in (${sql.join(identities)})
      )`,
    ),
  ];
  const { rows } = await sql<{ some: boolean }>`select ${sql.join(counts, sql` + `)} > 0 as some`.execute(db);
  return rows[0]?.some === true;
}
