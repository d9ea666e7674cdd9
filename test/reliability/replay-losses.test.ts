import { expect, test } from 'vitest';
import { loadInProcess } from '../support/commands-in-process.ts';
import { install } from '../support/installation.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { tinyBounds } from '../support/tiny-bounds.ts';
import { expectNoLockLeft, expectWarehouseEqualsPayloads } from './database-condition.ts';

const range = { from: '2026-01-14', to: '2026-01-16' };
const ofRange = `--from ${range.from} --to ${range.to}`;

/** What a replay asks of the archive, and what it ends its transactions with. */
const moments = ['"payload" from "etl"."raw_slice"', 'count(*) as "chunks"', 'commit\0'];
const bounds: [string, Readonly<Record<string, string>>][] = [
  ['within every bound', {}],
  ['above every bound', tinyBounds],
];

test.each(bounds.flatMap(([where, settings]) => moments.map((moment) => [where, moment, settings] as const)))(
  'a replay of slices %s whose connection is lost again and again at %j replays them all',
  async (_where, moment, settings) => {
    await using installation = await install({ users: 60 });
    const { pool, url } = installation.database;
    expect((await loadInProcess(installation, `backfill ${ofRange}`, { environment: settings })).code).toBe(
      0,
    );
    await pool.query('update warehouse.fact_user_daily set sessions = sessions + 1');
    let [seen, cuts] = [0, 0];
    const proxy = await startPostgresProxy(url, {
      fromClient(bytes, { client, upstream }) {
        if (bytes.includes(moment) && ++seen % 3 === 0) {
          cuts += 1;
          client.resetAndDestroy();
        } else upstream.write(bytes);
      },
      fromServer: (bytes, { client }) => void client.write(bytes),
    });
    try {
      const environment = { ...settings, DATABASE_URL: proxy.url };
      const { code, summary } = await loadInProcess(installation, `replay ${ofRange}`, { environment });
      expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { planned: 15, failed: 0 } });
    } finally {
      await proxy.close();
    }
    expect(cuts).toBeGreaterThan(2);
    await expectWarehouseEqualsPayloads(installation, range);
    await expectNoLockLeft(pool);
  },
);
