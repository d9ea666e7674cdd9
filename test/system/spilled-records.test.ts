import { mkdir, readdir, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import type { SimulatedRequest } from '../../src/simulator/server.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { install } from '../support/installation.ts';
import { makeDataDirectory, tinyBounds } from '../support/tiny-bounds.ts';

const [from, to] = ['2026-01-19', '2026-01-21'];
const backfill = `backfill --from ${from} --to ${to}`;

test.runIf(process.platform === 'linux')(
  'what a run holds on disk lies under DATA_DIR, is for its user alone, and has no name that others could find',
  async () => {
    await using data = await makeDataDirectory();
    const modes = new Set<string>();
    const looks: Promise<void>[] = [];
    const look = async () => {
      for (const { mode } of await data.files()) modes.add(mode);
      for (const mode of await openFilesBelow(data.path)) modes.add(mode);
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
    expect(await openFilesBelow(data.path)).toEqual([]);
    expect(await data.files()).toEqual([]);
  },
);

/** The permissions of the files below a folder that a process has open, with or without a name. */
async function openFilesBelow(folder: string, process: number | 'self' = 'self'): Promise<string[]> {
  const descriptors = `/proc/${process}/fd`;
  const modes = await Promise.all(
    (await readdir(descriptors)).map(async (descriptor) => {
      const file = `${descriptors}/${descriptor}`;
      const name = await readlink(file).catch(() => '');
      if (!name.startsWith(folder)) return [];
      // It may be closed meanwhile.
      const details = await stat(file).catch(() => undefined);
      return details?.isFile() ? [`0${(details.mode & 0o777).toString(8)}`] : [];
    }),
  );
  return modes.flat();
}

/** Does something about the third page of each day of `/users`: the first one is on disk by then. */
function atThirdPage(fault: () => Fault): (request: SimulatedRequest) => Fault | undefined {
  const pages = new Map<string | undefined, number>();
  return ({ path, query }) => {
    if (!path.endsWith('/users')) return undefined;
    const page = (pages.get(query.startDate) ?? 0) + 1;
    pages.set(query.startDate, page);
    return page === 3 ? fault() : undefined;
  };
}

test('nothing is left on disk by slices that fail', async () => {
  await using data = await makeDataDirectory();
  await using installation = await install({
    users: 300,
    fault: atThirdPage(() => ({ kind: 'status', status: 500 })),
  });
  await installation.database.pool.query(
    "alter table warehouse.fact_token_daily add constraint refused check (usage_date <> '2026-01-20') not valid",
  );
  const environment = { ...tinyBounds, DATA_DIR: data.path };
  const { code, summary } = await loadInProcess(installation, backfill, { environment });
  expect({ code, failed: summary.slices.failed }).toEqual({ code: 1, failed: 4 });
  expect(await data.files()).toEqual([]);
});

test('a run that is killed leaves nothing on disk', async () => {
  await using data = await makeDataDirectory();
  const { promise: inTheMiddle, resolve: reachMiddle } = Promise.withResolvers<void>();
  await using installation = await install({
    users: 300,
    fault: atThirdPage(() => {
      reachMiddle();
      return { kind: 'hang' };
    }),
  });
  const environment = { ...tinyBounds, DATA_DIR: data.path };
  const killed = installation.start(`${backfill} --endpoints users`, environment);
  await Promise.race([inTheMiddle, killed.ended]);
  if (process.platform === 'linux')
    await expect.poll(() => openFilesBelow(data.path, killed.process.pid)).not.toEqual([]);
  // The moment between making a file and taking its name away can be a long one on a busy machine.
  await expect.poll(() => data.files()).toEqual([]);
  killed.process.kill('SIGKILL');
  expect((await killed.ended).code).toBeNull();
  expect(await data.files()).toEqual([]);
});

test('what a process had no time to unlink is removed by the next run', async () => {
  await using data = await makeDataDirectory();
  await using installation = await install({ users: 3 });
  await mkdir(join(data.path, 'tmp'), { recursive: true });
  await writeFile(join(data.path, 'tmp', 'received-by-a-process-that-was-killed'), '');
  const { code } = await loadInProcess(installation, backfill, { environment: { DATA_DIR: data.path } });
  expect(code).toBe(0);
  expect(await data.files()).toEqual([]);
});
