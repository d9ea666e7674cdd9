import type pg from 'pg';
import { expect, test } from 'vitest';
import { day, daysOf } from '../../src/model/day.ts';
import { install } from '../support/installation.ts';
import { factRows } from '../support/ledger-rows.ts';
import { type Link, startPostgresProxy } from '../support/postgres-proxy.ts';
import { changeRows } from '../support/quirky-payloads.ts';
import { expectWarehouseEqualsPayloads } from './database-condition.ts';
import { backfillInProcess } from './in-process-backfill.ts';

const range = { from: '2026-01-14', to: '2026-01-23' };

/** Stands before a server and drops every third connection that commits, after the commit and before its answer. */
async function startForgetfulFront(databaseUrl: string) {
  let [commits, lost] = [0, 0];
  const forgotten = new Set<Link>();
  const proxy = await startPostgresProxy(databaseUrl, {
    fromClient(bytes, link) {
      if (bytes.includes('commit\0') && ++commits % 3 === 0) forgotten.add(link);
      link.upstream.write(bytes);
    },
    fromServer(bytes, link) {
      if (!forgotten.has(link)) return void link.client.write(bytes);
      lost += 1;
      link.client.resetAndDestroy();
      link.upstream.destroy();
    },
  });
  return { ...proxy, lost: () => lost };
}

/** Rows of all facts and bridges. */
async function factRowCount(pool: pg.Pool): Promise<number> {
  return Object.values(await factRows(pool)).reduce((sum, { length }) => sum + length, 0);
}

test('a commit whose answer is lost is neither doubled nor taken for a failure', async () => {
  await using installation = await install({ users: 25 });
  const { dataset, database, environment } = installation;
  // With a rejected entry and a surprise, so that every table of the ledger has something to double.
  const days = daysOf({ from: day(range.from), to: day(range.to) });
  for (const each of days)
    changeRows(dataset, 'tools', each, (row) => ({ ...row, surprise: 1, skills_by_name: [{ name: 7 }] }));
  const front = await startForgetfulFront(database.url);
  try {
    const report = await backfillInProcess({
      ...range,
      // A transaction for each slice, so that many are lost.
      environment: { ...environment, DATABASE_URL: front.url, LIST_ROWS: '1' },
    });
    expect(front.lost()).toBeGreaterThan(3);
    expect(report.summary).toMatchObject({
      status: 'succeeded',
      slices: { failed: 0, loaded: days.length * 5 },
    });
    // What was written first counts, not what the repetition finds.
    const { rows: drift } = await database.pool.query(
      `select occurrences::integer from etl.drift where path = 'surprise'`,
    );
    expect(drift).toEqual([{ occurrences: days.length }]);
    expect(report.summary.rows.inserted).toBe(await factRowCount(database.pool));
  } finally {
    await front.close();
  }
  const { rows } = await database.pool.query<Record<string, number>>(
    `select (select count(*)::integer from etl.rejected_row) as rejected,
            (select count(*)::integer from etl.raw_slice) as raw, (select count(*)::integer from etl.slice) as slices`,
  );
  expect(rows).toEqual([{ rejected: days.length, raw: days.length * 5, slices: days.length * 5 }]);
  for (const each of days) dataset.overrideRows('tools', each, undefined);
  const again = await backfillInProcess({ ...range, environment, force: true });
  expect(again.summary.status).toBe('succeeded');
  await expectWarehouseEqualsPayloads(installation, range);
  console.log(`${front.lost()} commits whose answer was lost, nothing doubled`);
});
