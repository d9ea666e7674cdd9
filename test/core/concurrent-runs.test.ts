import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPool, withSession } from '../../src/warehouse/connection/connection.ts';
import { lockOrganization } from '../../src/warehouse/locks/organization-lock.ts';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { type Installation, install, organization } from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

const [from, to] = ['2026-01-14', '2026-01-16'];
const backfill = `backfill --from ${from} --to ${to}`;

/** An installation whose platform leaves one request unanswered until the client gives up. */
async function installHanging(): Promise<Installation & { readonly hanging: Promise<void> }> {
  const { promise: hanging, resolve } = Promise.withResolvers<void>();
  const installation = await install({
    fault: ({ number }) => {
      if (number !== 8) return undefined;
      resolve();
      return { kind: 'hang' };
    },
  });
  return { ...installation, hanging };
}

test('a second run ends with exit code 4 while the first goes on, and a third may run after it', async () => {
  await using installation = await installHanging();
  const { database, hanging, load, payloads, simulator, start } = installation;
  const first = start(backfill);
  await Promise.race([hanging, first.ended]);
  const second = await installation.run(backfill);
  expect(second.code).toBe(4);
  expect(second.stderr).toMatch(/another run/i);
  // Apart from the request that learns the organization, every one is of the first run: none came twice.
  const analytics = simulator.requests.filter(({ path }) => path.includes('/analytics/'));
  const asked = analytics.filter(({ days }) => days !== undefined && days.to <= to);
  const addresses = asked.map(({ path, query }) => JSON.stringify([path, query]));
  expect(new Set(addresses).size).toBe(addresses.length);
  expect(analytics.length - asked.length).toBe(2);
  const { rows: running } = await database.pool.query("select run_id from etl.run where status = 'running'");
  expect(running).toHaveLength(1);

  first.process.kill('SIGTERM');
  const interrupted = await first.ended;
  expect(interrupted.code).toBe(1);
  expect(interrupted.stderr).toContain('SIGTERM');
  const { rows } = await database.pool.query<{ status: string; error: string }>(
    'select status, error from etl.run order by run_id limit 1',
  );
  expect(rows[0]).toMatchObject({
    status: expect.not.stringMatching('running'),
    error: expect.stringContaining('SIGTERM'),
  });

  const third = await load(backfill);
  expect(third.code).toBe(0);
  expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, payloads(from, to)));
});

describe('while another run works on an organization', () => {
  let installation: Installation;

  beforeAll(async () => {
    installation = await install({ users: 5 });
    const { database } = installation;
    expect((await loadInProcess(installation, backfill)).code).toBe(0);
    // A second organization, with the same days in the archive.
    await database.pool.query(`
      insert into warehouse.dim_org (org_key, org_id) values (2, 'org_second');
      insert into etl.raw_slice
      select 2, endpoint, slice_key, chunk, usage_date, row_count, payload, raw_bytes, run_id from etl.raw_slice`);
  });

  afterAll(() => installation[Symbol.asyncDispose]());

  /** Every row of facts and ledger, runs aside. */
  async function written(): Promise<unknown[]> {
    const { rows } = await installation.database.pool.query(
      `select (select json_agg(f order by f) from warehouse.fact_user_daily as f)::text as facts,
         (select json_agg(s order by s.org_key, s.endpoint, s.slice_key) from etl.slice as s)::text as ledger`,
    );
    return rows;
  }

  /** What `work` gives while somebody else holds the lock of an organization. */
  async function whileLocked<T>(orgKey: number, work: () => Promise<T>): Promise<T> {
    const others = openPool(installation.database.url, 1);
    try {
      return await withSession(others, async ({ client }) => {
        expect(await lockOrganization(client, orgKey)).toBe(true);
        return await work();
      });
    } finally {
      await others.end();
    }
  }

  test.each([
    ['nightly', 1, `nightly --date ${to}`],
    ['backfill', 1, `${backfill} --force`],
    ['replay', 1, `replay --from ${from} --to ${to}`],
    ['replay of several organizations', 2, `replay --from ${from} --to ${to}`],
  ])('%s does nothing and ends with exit code 4', async (_name, orgKey, command) => {
    // Whoever works on this day would repair it.
    await installation.database.pool.query('update warehouse.fact_user_daily set sessions = 1000');
    const before = await written();
    const { code, error } = await whileLocked(orgKey, () => commandInProcess(installation, command));
    expect(error).toContain('another run works on this organization');
    expect(code).toBe(4);
    expect(await written()).toEqual(before);
  });
});
