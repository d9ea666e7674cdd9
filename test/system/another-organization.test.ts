/** A credential that was answered as one organization does not begin another one in silence. */
import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../support/exact-json.ts';
import { install, organization } from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

const backfill = (day: string) => `backfill --from ${day} --to ${day}`;
const [first, second] = ['2026-01-14', '2026-01-15'];

/** A platform that names another organization as soon as it is told to. */
async function installAnswering(apiKeys = { 'owner-key-4711': 'owner', 'second-key': 'owner' } as const) {
  let named: string | undefined;
  const installation = await install({
    users: 3,
    apiKeys,
    fault: () =>
      named === undefined
        ? undefined
        : {
            kind: 'mutate',
            mutate: (envelope) => {
              const { data, meta } = fieldsOf(envelope);
              return { data, meta: { ...fieldsOf(meta), org_id: named } };
            },
          },
  });
  const { pool } = installation.database;
  return Object.assign(installation, {
    answerAs: (id: string | undefined) => {
      named = id;
    },
    organizations: async () => {
      const { rows } = await pool.query<{ org_id: string }>(
        'select org_id from warehouse.dim_org order by org_key',
      );
      return rows.map(({ org_id }) => org_id);
    },
  });
}

describe('a platform that answers as another organization than before', () => {
  test.each(['org_other', `${organization} `, organization.toUpperCase()])(
    'as %j, is not believed: nothing is loaded, and all of it is asked for again',
    async (named) => {
      await using installation = await installAnswering();
      const { pool } = installation.database;
      expect((await installation.load(backfill(first))).code).toBe(0);
      const before = await storedWarehouse(pool);
      installation.answerAs(named);
      for (const command of [
        backfill(second),
        `nightly --date ${second}`,
        `verify --from ${first} --to ${first}`,
      ]) {
        const { code, stdout } = await installation.run(`${command} --json`);
        const { error } = JSON.parse(stdout) as { error: string };
        expect({ command, code, error }).toEqual({ command, code: 1, error: expect.stringContaining(named) });
        expect(error).toMatch(
          new RegExp(`as organization "${organization}", .* delete the row .* etl\\.credential`),
        );
      }
      expect(await installation.organizations()).toEqual([organization]);
      expect(await storedWarehouse(pool)).toEqual(before);
      const { rows } = await pool.query(
        "select count(*)::integer from etl.run where status = 'failed' and error like '%etl.credential%'",
      );
      expect(rows).toEqual([{ count: 3 }]);

      installation.answerAs(undefined);
      expect(await installation.load(backfill(second))).toMatchObject({
        code: 0,
        summary: { slices: { loaded: 5 } },
      });
    },
  );

  test('is believed when somebody says so', async () => {
    await using installation = await installAnswering();
    await installation.load(backfill(first));
    installation.answerAs('org_other');
    await installation.database.pool.query("delete from etl.credential where org_id = 'org_test'");
    const { code, stderr } = await installation.run(backfill(first));
    expect(code).toBe(0);
    expect(stderr).toContain('new in this warehouse');
    expect(await installation.organizations()).toEqual([organization, 'org_other']);
  });
});

test('another key may be of another organization of the same warehouse, which is said', async () => {
  await using installation = await installAnswering();
  expect((await installation.run(backfill(first))).stderr).not.toContain('new in this warehouse');
  installation.answerAs(`${organization} `);
  const added = await installation.run(backfill(first), { API_KEY: 'second-key' });
  expect(added.code).toBe(0);
  expect(added.stderr).toMatch(/"like":"org_test".*new in this warehouse.* in white space or case only/);
  expect((await installation.run(backfill(second), { API_KEY: 'second-key' })).stderr).not.toContain(
    'new in this warehouse',
  );
  installation.answerAs(undefined);
  expect((await installation.run(backfill(second))).code).toBe(0);
  expect(await installation.organizations()).toEqual([organization, `${organization} `]);
});
