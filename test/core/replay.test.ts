import { hash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { organization, sharedInstallation } from '../support/installation.ts';
import { addQuirks, quirkDays } from '../support/quirky-payloads.ts';
import { storedEmails, storedWarehouse } from '../support/stored-warehouse.ts';

const days = Object.values(quirkDays).sort();
const [from, to] = ['2026-01-14', days.at(-1) ?? '2026-01-20'];
const range = `--from ${from} --to ${to}`;
/** No platform and no credential: replay must not need them. */
const withoutPlatform = { API_BASE_URL: '', API_KEY: '' };

const installation = await sharedInstallation({ users: 30 });

describe('replay', () => {
  beforeAll(async () => {
    addQuirks(installation.dataset);
    const { code } = await installation.load(`backfill ${range}`);
    expect(code).toBe(0);
  });

  /** SHA-256 of each table's content by natural keys: numbering is not content. */
  async function checksums(): Promise<Record<string, string>> {
    const { pool } = installation.database;
    const emails = Object.entries(await storedEmails(pool)).sort();
    const tables: Record<string, unknown> = { ...(await storedWarehouse(pool)), emails };
    return Object.fromEntries(
      Object.entries(tables).map(([table, rows]) => [table, hash('sha256', JSON.stringify(rows))]),
    );
  }

  async function empty(): Promise<void> {
    const { pool } = installation.database;
    const { rows } = await pool.query<{ name: string }>(
      `select format('warehouse.%I', relname) as name from pg_class
       where relnamespace = 'warehouse'::regnamespace and relkind = 'r'
         and relname not in ('dim_org', 'dim_date')`,
    );
    await pool.query(`truncate ${rows.map(({ name }) => name).join(', ')}`);
  }

  test('into an emptied star gives the identical content, without the platform', async () => {
    const before = await checksums();
    expect(Object.keys(before).length).toBeGreaterThan(18);
    const asked = installation.simulator.requests.length;
    await empty();
    expect(await checksums()).not.toEqual(before);
    const { code, summary } = await installation.load(`replay ${range}`, withoutPlatform);
    expect(code).toBe(0);
    expect(summary).toMatchObject({ status: 'succeeded', requests: { sent: 0 } });
    expect(await checksums()).toEqual(before);
    expect(installation.simulator.requests.length).toBe(asked);
    expect(await storedWarehouse(installation.database.pool)).toEqual(
      expectedWarehouse(organization, installation.payloads(from, to)),
    );
  });

  test('repairs a row altered by hand and writes nothing else', async () => {
    const before = await checksums();
    const { pool } = installation.database;
    await pool.query(
      `update warehouse.fact_user_daily set sessions = sessions + 1
       where (usage_date, user_key) = (select usage_date, user_key from warehouse.fact_user_daily limit 1)`,
    );
    const { summary } = await installation.load(`replay ${range} --endpoints users`, withoutPlatform);
    expect(summary.rows).toMatchObject({ inserted: 0, updated: 1, deleted: 0 });
    expect(await checksums()).toEqual(before);
  });

  test('leaves slices alone whose raw rows were not kept', async () => {
    const before = await checksums();
    await installation.database.pool.query("delete from etl.raw_slice where endpoint <> 'tools'");
    const { summary } = await installation.load(`replay ${range}`, withoutPlatform);
    expect(summary.slices.planned).toBe(summary.slices.unchanged);
    expect(await checksums()).toEqual(before);
  });
});
