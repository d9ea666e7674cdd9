/** Applies a removal rule to all stored data. Every removal uses this function. */
import type pg from 'pg';
import type { PersonColumn } from '../../model/person-places.ts';
import { withSession } from '../connection/connection.ts';
import { retryOnConnectionLoss } from '../connection/reconnect.ts';
import { isOfCreditLimits, renameInCreditLimits } from './credit-limits.ts';
import type { RemovalRule } from './removal-rule.ts';
import { rewriteArchive } from './rewrite-archive.ts';
import { rewriteColumn } from './rewrite-column.ts';
import { columnsHolding, describeColumns } from './stored-column.ts';

/** What a removal changed. */
export interface Removed {
  /** Number of changed rows in tables. */
  readonly rows: number;
  /** Number of changed chunks in the raw archive. */
  readonly chunks: number;
  /** Slices whose archive could not be read and was removed, as endpoint and key. */
  readonly removed: readonly string[];
  /** The organizations with changed rows of tables, if their values were read one by one. */
  readonly orgKeys: ReadonlySet<number>;
  /** The tables that were changed. */
  readonly tables: ReadonlySet<string>;
}

/**
 * Rewrites the archive, and then the columns in the order of `places`. Each chunk and each column is committed by itself,
 * so that an interrupted removal can simply be repeated. Call `renewStatistics` afterwards: the statistics of the planner
 * still have old values.
 */
export async function removeStored(
  pool: pg.Pool,
  places: readonly PersonColumn[],
  rule: RemovalRule,
  signal: AbortSignal,
): Promise<Removed> {
  const retried = <T>(work: () => Promise<T>) => retryOnConnectionLoss(pool, signal, work);
  const { orgKeys, archive, rewriteJson, beforeWriting = async () => undefined } = rule;
  const tables = new Set<string>();
  const changed = new Set<number>();
  const removed: string[] = [];
  let [rows, chunks] = [0, 0];
  for (const orgKey of orgKeys) {
    const rewritten = await retried(() =>
      rewriteArchive(pool, orgKey, archive, rewriteJson, beforeWriting, signal),
    );
    chunks += rewritten.chunks;
    removed.push(...rewritten.removed);
  }
  if (chunks + removed.length > 0) tables.add('etl.raw_slice');
  const columns = await retried(() =>
    withSession(pool, async ({ client }) =>
      columnsHolding(client, await describeColumns(client, places), rule),
    ),
  );
  for (const column of columns) {
    const count = await retried(() =>
      isOfCreditLimits(column)
        ? renameInCreditLimits(pool, column, rule)
        : rewriteColumn(pool, column, rule, signal, (orgKey) => changed.add(orgKey)),
    );
    if (count > 0) tables.add(column.table);
    rows += count;
  }
  return { rows, chunks, removed, orgKeys: changed, tables };
}
