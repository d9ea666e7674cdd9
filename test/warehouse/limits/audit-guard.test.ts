import { beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDatabase } from '../../support/database.ts';

const database = await sharedTestDatabase();

beforeAll(async () => {
  await database.pool.query("insert into warehouse.dim_org (org_id) values ('org_test')");
});

/** A new attempt that is still unknown; returns its id. */
async function attempt(email = 'ada@example.com'): Promise<string> {
  const { rows } = await database.pool.query<{ change_id: string }>(
    `insert into etl.credit_limit_change (org_key, user_email, requested_limit, run_id)
    select org_key, $1, 2000000, 1 from warehouse.dim_org returning change_id`,
    [email],
  );
  return rows[0]?.change_id ?? '';
}

const change = (id: string, set: string) =>
  database.pool.query(`update etl.credit_limit_change set ${set} where change_id = $1`, [id]);
const confirmed = "outcome = 'updated', confirmed_limit = 2000000";
const refused = "outcome = 'error', error = 'no such user'";

describe('an attempt', () => {
  test.each([confirmed, refused])('gets its outcome (%s) once, and never another', async (outcome) => {
    const id = await attempt();
    await change(id, `${outcome}, answered_at = now()`);
    for (const another of [confirmed, refused, "outcome = 'unknown', error = null, confirmed_limit = null"])
      await expect(change(id, another)).rejects.toThrow('may change only once');
  });

  test.each([
    "user_email = 'eve@example.com'",
    'requested_limit = 3000000',
    'requested_limit = null',
    'run_id = 2',
    'requested_at = now()',
    'change_id = 4711',
  ])('stays what was asked for: %s is refused, also with an outcome', async (set) => {
    const id = await attempt();
    await expect(change(id, set)).rejects.toThrow('may change only once');
    await expect(change(id, `${confirmed}, ${set}`)).rejects.toThrow('may change only once');
  });

  test.each([
    'delete from etl.credit_limit_change',
    'truncate etl.credit_limit_change',
    'truncate warehouse.dim_org cascade',
  ])('is kept: %s is refused', async (statement) => {
    await attempt();
    await expect(database.pool.query(statement)).rejects.toThrow('its rows are not deleted');
  });
});

test('a person gets another name in every attempt, and what is unknown is not asked about again', async () => {
  const [known, unknown, other] = [
    await attempt('carol@example.com'),
    await attempt('carol@example.com'),
    await attempt('dave@example.com'),
  ];
  await change(known, confirmed);
  await database.pool.query(
    `insert into warehouse.credit_limit (org_key, user_email, limit_credits)
    select org_key, email, 2000000 from warehouse.dim_org, unnest(array['carol@example.com', 'c@example.com']) as email`,
  );
  for (const email of ['carol@example.com', 'c@example.com'])
    await database.pool.query('select etl.rename_in_credit_limits(org_key, $1, $2) from warehouse.dim_org', [
      email,
      'someone',
    ]);
  const { rows } = await database.pool.query(
    `select change_id, user_email, outcome, error from etl.credit_limit_change where change_id >= $1 order by 1`,
    [known],
  );
  expect(rows).toEqual([
    { change_id: known, user_email: 'someone', outcome: 'updated', error: null },
    {
      change_id: unknown,
      user_email: 'someone',
      outcome: 'error',
      error: expect.stringContaining('removed before'),
    },
    { change_id: other, user_email: 'dave@example.com', outcome: 'unknown', error: null },
  ]);
  const { rows: limits } = await database.pool.query('select user_email from warehouse.credit_limit');
  expect(limits).toEqual([{ user_email: 'someone' }]);
  await expect(change(other, "user_email = 'x'")).rejects.toThrow('may change only once');
});
