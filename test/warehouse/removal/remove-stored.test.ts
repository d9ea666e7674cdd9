/** What removing does to rows: those whose new name is taken, what stands beside an e-mail, and what others see of it. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PersonColumn } from '../../../src/model/person-places.ts';
import type { RemovalRule } from '../../../src/warehouse/removal/removal-rule.ts';
import { removeStored } from '../../../src/warehouse/removal/remove-stored.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
const long = '2026-01-01T00:00:00Z';

beforeEach(async () => {
  database = await createTestDatabase();
  await database.pool.query(
    `insert into warehouse.dim_org (org_id) values ('org_1'), ('org_2');
    insert into warehouse.dim_date (date_day) select day from unnest('{2026-01-14,2026-01-15}'::date[]) as day
      on conflict do nothing;
    insert into warehouse.dim_user (org_key, user_id, user_email, user_email_date, user_email_endpoint)
    values (1, 'ann', 'a@x.io', '2026-01-14', 'users'), (1, 'new', null, null, null), (2, 'ann', 'a@x.io', '2026-01-14', 'users')`,
  );
  for (const [user, day] of [
    ['ann', '2026-01-14'],
    ['new', '2026-01-15'],
  ])
    await addFact(user, day);
});
afterEach(() => database.drop());

const addFact = (user: string | undefined, day: string | undefined) =>
  database.pool.query(
    `insert into warehouse.fact_user_daily (org_key, usage_date, user_key, loaded_at)
    select org_key, $2, user_key, $3 from warehouse.dim_user where org_key = 1 and user_id = $1`,
    [user, day, long],
  );

/** Users of the first organization, each with the days of their facts, and those whose facts were changed. */
async function users(): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    `select regexp_replace(user_id, $1::text, 'KEY') as id,
      array_agg(usage_date::text order by usage_date) filter (where usage_date is not null) as days,
      coalesce(bool_or(loaded_at > $2), false) as changed
    from warehouse.dim_user left join warehouse.fact_user_daily using (org_key, user_key)
    where org_key = 1 group by user_key order by user_id`,
    ['\\d+$', long],
  );
  return rows.map(({ id, days, changed }) => [id, days, changed]);
}

const remove = (places: readonly PersonColumn[], rule: Partial<RemovalRule>) =>
  removeStored(
    database.pool,
    places,
    { orgKeys: [1], onSameName: 'merge', archive: {}, rewriteJson: (json) => json, ...rule },
    new AbortController().signal,
  );

const ids: readonly PersonColumn[] = [{ table: 'warehouse.dim_user', column: 'user_id', kind: 'user_id' }];
const renamed = ({ value }: { readonly value: string }) => (value === 'ann' ? 'new' : value);

test('a row is merged into the row of the same name, with what refers to it', async () => {
  expect(await remove(ids, { rewrite: renamed })).toMatchObject({ rows: 1 });
  expect(await users()).toEqual([['new', ['2026-01-14', '2026-01-15'], true]]);
  expect(await remove(ids, { rewrite: renamed })).toMatchObject({ rows: 0, tables: new Set() });
});

test('where both are referred to by what may be there once only, the row stays, with its number', async () => {
  await addFact('ann', '2026-01-15');
  await remove(ids, { rewrite: renamed });
  expect(await users()).toEqual([
    ['new', ['2026-01-15'], false],
    ['new-KEY', ['2026-01-14', '2026-01-15'], false],
  ]);
});

test('where rows are numbered, no fact changes', async () => {
  await remove(ids, { rewrite: renamed, onSameName: 'number', pattern: '^ann$' });
  expect(await users()).toEqual([
    ['new', ['2026-01-15'], false],
    ['new#KEY', ['2026-01-14'], false],
  ]);
});

test('an e-mail goes with what reported it, in the organizations that are named; its owner is told first', async () => {
  const told: unknown[] = [];
  const rule = {
    pattern: 'nothing has this',
    rewrite: () => null,
    beforeEmailGoes: async (_: unknown, stored: unknown) => void told.push(stored),
  };
  const column = { table: 'warehouse.dim_user', column: 'user_email', kind: 'email' } as const;
  expect(await remove([column], rule)).toMatchObject({ rows: 1 });
  expect(told).toMatchObject([{ value: 'a@x.io', userId: 'ann', orgKey: 1 }]);
  const { rows } = await database.pool.query(
    'select num_nonnulls(user_email, user_email_date, user_email_endpoint) as left from warehouse.dim_user order by user_key',
  );
  expect(rows).toEqual([{ left: 0 }, { left: 0 }, { left: 3 }]);
});

test('a fact whose text changes says so; the ledger still says when the rows of a slice changed', async () => {
  await database.pool.query(
    `insert into warehouse.fact_session_content_block
      (org_key, session_id, message_id, block_index, block_type, loaded_at)
    values (1, 's', 'm', 0, 'ann', $1), (1, 's', 'm', 1, 'bob', $1)`,
    [long],
  );
  await database.pool.query(
    `insert into etl.slice (org_key, endpoint, slice_key, status, loaded_at, last_error, last_failed_at)
    values (1, 'users', 's', 'loaded', $1, 'ann', $1)`,
    [long],
  );
  const places: readonly PersonColumn[] = [
    { table: 'warehouse.fact_session_content_block', column: 'block_type', kind: 'text' },
    { table: 'etl.slice', column: 'last_error', kind: 'text' },
  ];
  expect(await remove(places, { rewrite: renamed })).toMatchObject({ rows: 2 });
  const { rows } = await database.pool.query(
    `select block_type as text, loaded_at > $1 as changed from warehouse.fact_session_content_block
    union all select last_error, loaded_at > $1 from etl.slice order by 1, 2`,
    [long],
  );
  expect(rows).toEqual([
    { text: 'bob', changed: false },
    { text: 'new', changed: false },
    { text: 'new', changed: true },
  ]);
});

test('of a column that does not exist it is said so', async () => {
  const column = { table: 'warehouse.dim_user', column: 'nickname', kind: 'text' } as const;
  await expect(remove([column], { rewrite: renamed })).rejects.toThrow('nickname in warehouse.dim_user');
});
