import { expect, test } from 'vitest';
import { holdTables, programConnections } from '../support/busy-tables.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { install, organization } from '../support/installation.ts';
import { untilQuiet } from '../support/quiet.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';
import { tinyBounds } from '../support/tiny-bounds.ts';

const [from, to] = ['2026-01-14', '2026-05-15'];

/** An endpoint, a table of it, and the requests of the range at least. */
const endpoints: [string, string, number][] = [
  ['users', 'fact_user_daily', 300],
  ['tokens', 'fact_token_user_daily', 120],
];

test.each(endpoints)(
  'while the database is busy the run stops asking for /%s, and goes on afterwards',
  async (endpoint, table, leastRequests) => {
    await using installation = await install({ users: 120 });
    const { database, simulator } = installation;
    const busy = await holdTables(database.url, [table]);
    try {
      const environment = { ...tinyBounds, PAGE_SIZE: '10', WINDOW_DAYS: '1' };
      const run = loadInProcess(installation, `backfill --from ${from} --to ${to} --endpoints ${endpoint}`, {
        environment: { ...environment, LOCK_TIMEOUT_MS: '600000' },
      });
      await expect.poll(async () => (await programConnections(database.pool)).waiting).toBeGreaterThan(0);
      await untilQuiet(() => simulator.counts.requests);
      const askedWhileBusy = simulator.counts.requests;
      expect(simulator.counts.inFlight).toBe(0);

      await busy.release();
      const { code, summary } = await run;
      expect({ code, slices: summary.slices }).toMatchObject({
        code: 0,
        slices: { planned: 122, failed: 0 },
      });
      expect(simulator.counts.requests).toBeGreaterThan(leastRequests);
      expect(askedWhileBusy).toBeLessThan(simulator.counts.requests / 3);
      const payloads = installation.payloads(from, to).filter((payload) => payload.endpoint === endpoint);
      expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, payloads));
      console.log(`${askedWhileBusy} of ${simulator.counts.requests} requests while the database was busy`);
    } finally {
      await busy.release();
    }
  },
);
