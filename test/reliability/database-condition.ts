/** What must hold of a database after whatever happened to those who worked on it. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { expect } from 'vitest';
import { expectedEmails, expectedWarehouse } from '../support/expected-warehouse.ts';
import { type Installation, organization } from '../support/installation.ts';
import { storedEmails, storedWarehouse } from '../support/stored-warehouse.ts';

/** A server notices the death of a client when it next reads from or writes to it. */
const noticeTimeoutMs = 60_000;

/** Resolves when no connection holds an advisory lock in the database any more; fails when one keeps it. */
export async function expectNoLockLeft(pool: pg.Pool): Promise<void> {
  const giveUpAt = performance.now() + noticeTimeoutMs;
  for (;;) {
    const { rows } = await pool.query<Record<string, unknown>>(
      `select locktype, classid, objid, pid from pg_locks where locktype = 'advisory'
         and database = (select oid from pg_database where datname = current_database())`,
    );
    if (rows.length === 0) return;
    if (performance.now() > giveUpAt)
      throw new Error(`expected no advisory lock to be left, but there is ${JSON.stringify(rows)}`);
    await delay(20);
  }
}

/** How many runs the ledger knows, by status. */
export async function runsByStatus(pool: pg.Pool): Promise<Readonly<Record<string, number>>> {
  const { rows } = await pool.query<{ status: string; runs: number }>(
    'select status, count(*)::integer as runs from etl.run group by status order by status',
  );
  return Object.fromEntries(rows.map(({ status, runs }) => [status, runs]));
}

/** Fails unless every fact and bridge is what the platform serves at this moment, no more and no less. */
export async function expectWarehouseEqualsPayloads(
  installation: Installation,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const payloads = installation.payloads(from, to);
  const { pool } = installation.database;
  expect(await storedWarehouse(pool)).toEqual(expectedWarehouse(organization, payloads));
  expect(await storedEmails(pool)).toMatchObject(expectedEmails(payloads));
}
