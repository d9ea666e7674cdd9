import { expect, test } from 'vitest';
import { loadInProcess } from '../support/commands-in-process.ts';
import { install } from '../support/installation.ts';
import { makeDataDirectory, tinyBounds } from '../support/tiny-bounds.ts';

const [from, to] = ['2026-01-19', '2026-01-21'];
const backfill = `backfill --from ${from} --to ${to}`;

test('what a run holds on disk lies under DATA_DIR, is for its user alone, and is gone when it ends', async () => {
  await using data = await makeDataDirectory();
  const modes = new Set<string>();
  const looks: Promise<void>[] = [];
  const look = async () => {
    for (const { mode } of await data.files()) modes.add(mode);
  };
  await using installation = await install({
    users: 300,
    fault: () => {
      looks.push(look());
      return undefined;
    },
  });
  const environment = { ...tinyBounds, DATA_DIR: data.path };
  const { code } = await loadInProcess(installation, backfill, { environment });
  await Promise.all(looks);
  expect(code).toBe(0);
  expect([...modes]).toEqual(['0600']);
  expect(await data.files()).toEqual([]);
});

test('nothing is left on disk by slices that fail', async () => {
  await using data = await makeDataDirectory();
  await using installation = await install({
    users: 300,
    fault: ({ path, query }) =>
      path.endsWith('/users') && query.cursor !== undefined ? { kind: 'status', status: 500 } : undefined,
  });
  await installation.database.pool.query(
    "alter table warehouse.fact_token_daily add constraint refused check (usage_date <> '2026-01-20') not valid",
  );
  const environment = { ...tinyBounds, DATA_DIR: data.path };
  const { code, summary } = await loadInProcess(installation, backfill, { environment });
  expect({ code, failed: summary.slices.failed }).toEqual({ code: 1, failed: 4 });
  expect(await data.files()).toEqual([]);
});

test('what a run that was killed has left on disk is removed by the next one', async () => {
  await using data = await makeDataDirectory();
  const { promise: inTheMiddle, resolve: reachMiddle } = Promise.withResolvers<void>();
  let requests = 0;
  await using installation = await install({
    users: 300,
    fault: ({ path, query }) => {
      if (!path.endsWith('/users') || query.cursor === undefined || ++requests !== 3) return undefined;
      reachMiddle();
      return { kind: 'hang' };
    },
  });
  const environment = { ...tinyBounds, DATA_DIR: data.path };
  const killed = installation.start(`${backfill} --endpoints users`, environment);
  await Promise.race([inTheMiddle, killed.ended]);
  killed.process.kill('SIGKILL');
  expect((await killed.ended).code).toBeNull();
  expect(await data.files()).not.toEqual([]);

  expect((await loadInProcess(installation, backfill, { environment })).code).toBe(0);
  expect(await data.files()).toEqual([]);
});
