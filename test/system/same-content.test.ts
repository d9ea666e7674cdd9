import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { fieldsOf, itemsOf } from '../support/exact-json.ts';
import { endpoints, type Installation, install } from '../support/installation.ts';
import { archiveRows, factRows, sliceRow } from '../support/ledger-rows.ts';
import { bounds } from '../support/tiny-bounds.ts';
import { writtenTuples } from '../support/written-tuples.ts';

const [from, to] = ['2026-01-14', '2026-01-17'];
const days = ['2026-01-14', '2026-01-15', '2026-01-16', '2026-01-17'];
const slices = days.length * endpoints.length;

/** The same value with its fields and the entries of its lists the other way round. */
function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backwards).reverse();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(fieldsOf(value))
      .map(([name, item]) => [name, backwards(item)])
      .reverse(),
  );
}

describe.each(bounds)('the same content %s', (_where, sizes) => {
  let installation: Installation;
  let isBackwards = false;

  beforeAll(async () => {
    installation = await install({
      users: 400,
      // The platform sorts users by their id: within a page they may come in any order all the same.
      fault: ({ path }) =>
        isBackwards && path.endsWith('/users')
          ? {
              kind: 'mutate',
              mutate: (envelope) => {
                const { data, meta } = fieldsOf(envelope);
                return { meta, data: itemsOf(data).map(backwards).reverse() };
              },
            }
          : undefined,
    });
    const first = await load(`backfill --from ${from} --to ${to}`);
    expect(first).toMatchObject({ code: 0, summary: { slices: { loaded: slices } } });
  });

  afterAll(() => installation[Symbol.asyncDispose]());

  const load = (commandLine: string, environment: Readonly<Record<string, string>> = {}) =>
    loadInProcess(installation, commandLine, {
      environment: { ...sizes, LOOKBACK_DAYS: '3', ...environment },
    });

  async function loadTimesOfSlices(): Promise<unknown[]> {
    const { pool } = installation.database;
    return await Promise.all(
      days.flatMap((each) =>
        endpoints.map(async (endpoint) => (await sliceRow(pool, endpoint, each))?.loaded_at),
      ),
    );
  }

  async function expectUnchanged(
    commandLine: string,
    environment?: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { pool } = installation.database;
    const [tuples, facts, times] = [
      await writtenTuples(pool),
      await factRows(pool),
      await loadTimesOfSlices(),
    ];
    expect(new Set(times)).not.toContain(null);
    const { code, summary } = await load(commandLine, environment);
    expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { unchanged: slices } });
    expect(summary.rows).toMatchObject({ inserted: 0, updated: 0, deleted: 0, rejected: 0 });
    expect(await writtenTuples(pool)).toEqual(tuples);
    expect(await factRows(pool)).toEqual(facts);
    expect(await loadTimesOfSlices()).toEqual(times);
  }

  const nightly = `nightly --date ${to}`;

  test('is unchanged when it comes again byte by byte', () => expectUnchanged(nightly));

  test('is unchanged in pages of another size', () => expectUnchanged(nightly, { PAGE_SIZE: '33' }));

  test('is unchanged in windows of another size', async () => {
    await expectUnchanged(nightly, { WINDOW_DAYS: '1' });
    await expectUnchanged(nightly, { WINDOW_DAYS: '3' });
  });

  test('is unchanged with users, breakdowns and fields in another order', async () => {
    isBackwards = true;
    for (const payload of installation.payloads(from, to))
      if (payload.endpoint !== 'users')
        installation.dataset.overrideRows(payload.endpoint, day(payload.day), payload.rows.map(backwards));
    await expectUnchanged(nightly, { PAGE_SIZE: '27' });
    await expectUnchanged(nightly, { PAGE_SIZE: '27', WINDOW_DAYS: '2' });
  });

  test('is unchanged when it is flattened again', () =>
    expectUnchanged(`backfill --from ${from} --to ${to} --force`));

  test('is kept in the archive all the while', async () => {
    for (const endpoint of endpoints)
      for (const each of days)
        expect(await archiveRows(installation.database.pool, endpoint, each)).not.toEqual([]);
  });
});
