/** `verify` on sources whose slices are no days: it finds nothing where all is well, and whatever was done by hand. */
import { beforeEach, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { idOf, runDay, session, setUpMadeUpSources } from '../support/made-up-installation.ts';
import { verifyAll } from '../support/made-up-platform.ts';

const installation = setUpMadeUpSources();

beforeEach(async () => {
  await installation().load();
});

/** Changes the warehouse by hand; keys are not looked at, as in newer versions of Postgres. */
async function byHand(...statements: readonly string[]): Promise<void> {
  const client = await installation().database.pool.connect();
  await client.query('set session_replication_role = replica');
  for (const statement of statements) await client.query(statement);
  client.release(true);
}

async function contradictions(): Promise<readonly unknown[]> {
  const report = await verifyAll({ ...installation().run, on: day('2026-03-11') });
  expect(report).toMatchObject({ status: 'succeeded', failures: [] });
  const found = report.contradictions.map(({ check, endpoint, usage_date, expected, actual, detail }) =>
    expected === null
      ? [check, endpoint, usage_date, detail]
      : [check, endpoint, usage_date, `${expected} and ${actual} ${detail}`],
  );
  return found.sort((a, b) => (String(a) < String(b) ? -1 : 1));
}

const notEnforced = async () => {
  const [[version] = []] = await installation().rows("select current_setting('server_version_num')::integer");
  return Number(version) >= 180000 ? 'not enforced' : '';
};

test('nothing contradicts what was loaded, read again and replayed', async () => {
  const { load, replay, platform, run } = installation();
  platform.reviews = platform.reviews.slice(1);
  await load();
  await replay();
  expect(await contradictions()).toEqual([]);
  const { checks } = await verifyAll({ ...run, on: day('2026-03-11') });
  // Each table of each slice, and the records of each slice: 2 + 3 + 2 × 5.
  expect(checks.find(({ name }) => name === 'rows_in_ledger')).toMatchObject({ compared: 15, ok: 15 });
});

test('rows that were removed are missed, in the slice that they were of', async () => {
  await byHand(
    'delete from warehouse.fact_test_computer where computer_key = (select min(computer_key) from warehouse.fact_test_computer)',
    `delete from warehouse.fact_review_file where review_id = '${idOf(1)}' and file_path = 'a.ts'`,
    `delete from warehouse.fact_test_result where session_id = '${session}' and message_id = 'm2'`,
  );
  expect(await contradictions()).toEqual([
    ['rows_in_ledger', 'computers', runDay, '2 and 1 rows of fact_test_computer as in etl.slice.row_count'],
    ['rows_in_ledger', 'computers', runDay, '2 and 1 rows of fact_test_computer as in etl.slice.table_rows'],
    [
      'rows_in_ledger',
      'messages',
      '2026-03-09',
      `8 and 6 rows of fact_test_result of slice ${session} as in etl.slice.table_rows`,
    ],
    [
      'rows_in_ledger',
      'reviews',
      null,
      '8 and 7 rows of fact_review_file of slice all as in etl.slice.table_rows',
    ],
  ]);
});

test('rows that nobody loaded are found', async () => {
  await byHand(
    `insert into warehouse.fact_test_message (org_key, session_id, message_id)
      select org_key, 'unknown', 'm' from warehouse.dim_org`,
    `insert into warehouse.fact_test_computer (org_key, snapshot_date, computer_key)
      select distinct org_key, date '2026-03-09', computer_key from warehouse.fact_test_computer`,
  );
  const found = await contradictions();
  for (const each of [
    [
      'rows_in_ledger',
      'computers',
      '2026-03-09',
      '0 and 2 rows of fact_test_computer as in etl.slice.table_rows',
    ],
    [
      'rows_in_ledger',
      'messages',
      null,
      '0 and 1 rows of fact_test_message of slice unknown as in etl.slice.table_rows',
    ],
  ])
    expect(found).toContainEqual(each);
  expect(found).toHaveLength(4);
});

test('a breakdown without the record that it was in is found', async () => {
  await byHand(`delete from warehouse.fact_review where review_id = '${idOf(2)}'`);
  expect(await contradictions()).toContainEqual([
    'breakdowns_without_total',
    'reviews',
    null,
    'fact_review_file: 2 rows without their row in fact_review',
  ]);
});

test('keys of several columns that lead nowhere are found', async () => {
  await byHand(
    `alter table warehouse.fact_review_file add constraint of_review
      foreign key (org_key, review_id) references warehouse.fact_review (org_key, review_id) ${await notEnforced()}`,
    `delete from warehouse.fact_review where review_id = '${idOf(2)}'`,
  );
  expect(await contradictions()).toContainEqual([
    'orphan_keys',
    'reviews',
    null,
    'fact_review_file: 2 rows whose org_key, review_id is not in fact_review',
  ]);
});

test('what belongs to another organization, and what is below zero, is found in every table', async () => {
  await byHand(
    `alter table warehouse.fact_test_computer add constraint of_computer
      foreign key (computer_key) references warehouse.dim_test_computer (computer_key) ${await notEnforced()}`,
    "insert into warehouse.dim_org (org_id) values ('org_other')",
    `update warehouse.dim_test_computer set org_key = (select org_key from warehouse.dim_org where org_id = 'org_other')
      where computer_id = 'c1'`,
    `update warehouse.fact_review set comments = -1 where review_id = '${idOf(3)}'`,
  );
  expect(await contradictions()).toEqual([
    ['negative_measures', 'reviews', null, 'fact_review: 1 rows have a negative comments'],
    [
      'users_of_another_org',
      'computers',
      runDay,
      'fact_test_computer: 1 rows have a computer_key of another organization',
    ],
  ]);
});
