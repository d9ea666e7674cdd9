/** Pages whose words about the next one are not as documented: no row is lost, and people see it. */
import { expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import { fieldsOf } from '../support/exact-json.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { type Installation, install, organization } from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

const [from, to] = ['2026-01-14', '2026-01-15'];
const backfill = `backfill --from ${from} --to ${to} --force`;
const pages = { PAGE_SIZE: '2' };

type Meta = Readonly<Record<string, unknown>>;

/** A platform that says something else of the next page of `/users`. */
async function telling(change: (meta: Meta) => Meta): Promise<Installation & { tellsRight(): void }> {
  let isRight = false;
  const fault: Fault = {
    kind: 'mutate',
    mutate: (envelope) => {
      const { data, meta } = fieldsOf(envelope);
      return { data, meta: change(fieldsOf(meta)) };
    },
  };
  const installation = await install({
    fault: ({ path }) => (path.endsWith('/users') && !isRight ? fault : undefined),
  });
  const tellsRight = () => {
    isRight = true;
  };
  return Object.assign(installation, { tellsRight });
}

const paging = `select endpoint, kind, path, occurrences::integer from etl.drift
  where path like 'meta.%' order by kind, path`;

test.each<[string, (meta: Meta) => Meta]>([
  ['says nothing beside its cursor', ({ has_more: _, ...rest }) => rest],
  ['says null beside its cursor', (meta) => ({ ...meta, has_more: null })],
  ['calls every page the last', (meta) => ({ ...meta, has_more: false })],
])(
  'a platform that %s loses no user, and drift says so, whether rows are new or known',
  async (_, change) => {
    await using installation = await telling(change);
    const { pool } = installation.database;
    const { code, summary, stderr } = await installation.load(backfill, pages);
    expect({ code, summary: summary.slices }).toMatchObject({
      code: 0,
      summary: { planned: 10, loaded: 10 },
    });
    expect(await storedWarehouse(pool)).toEqual(
      expectedWarehouse(organization, installation.payloads(from, to)),
    );
    expect(stderr).toContain('meta.has_more');
    const { rows } = await pool.query(paging);
    expect(rows).toEqual([
      { endpoint: 'users', kind: expect.any(String), path: 'meta.has_more', occurrences: expect.any(Number) },
    ]);
    // The same records byte for byte, which need no load.
    await installation.load(`nightly --date ${to} --endpoints users`, { ...pages, LOOKBACK_DAYS: '1' });
    expect((await pool.query(paging)).rows[0].occurrences).toBeGreaterThan(rows[0].occurrences);
  },
);

test('a page that has more and names no cursor fails its day alone, as drift, until the platform says where', async () => {
  await using installation = await telling((meta) => ({ ...meta, next_cursor: null }));
  const { pool } = installation.database;
  const { code, summary } = await installation.load(backfill, pages);
  expect({ code, slices: summary.slices }).toMatchObject({ code: 1, slices: { loaded: 8, failed: 2 } });
  const failed = await pool.query("select distinct endpoint, error from etl.slice where status = 'failed'");
  expect(failed.rows).toEqual([
    {
      endpoint: 'users',
      error: expect.stringMatching(/expected the cursor of the next page .*, got next_cursor null/),
    },
  ]);
  expect((await pool.query(paging)).rows).toEqual([
    { endpoint: 'users', kind: 'missing_field', path: 'meta.next_cursor', occurrences: 2 },
  ]);
  installation.tellsRight();
  expect((await installation.load(backfill, pages)).code).toBe(0);
  expect(await storedWarehouse(pool)).toEqual(
    expectedWarehouse(organization, installation.payloads(from, to)),
  );
});

test.each(['absent', 'empty', 'repeated'])(
  'whatever the last page repeats (%s), it is the last',
  async (last) => {
    await using installation = await install({ choices: { 'last-cursor': last } });
    const { code, summary } = await installation.load(backfill, pages);
    expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { loaded: 10 } });
    expect((await installation.database.pool.query(paging)).rows).toEqual([]);
  },
);

/** A platform whose `/users` always has one more page, with records that nobody has seen. */
async function withoutEnd(): Promise<Installation & { begin(): void }> {
  let isEndless = false;
  const installation = await install({
    users: 5,
    fault: ({ path, number }) =>
      !isEndless || !path.endsWith('/users')
        ? undefined
        : {
            kind: 'mutate',
            mutate: (envelope) => {
              const { data, meta } = fieldsOf(envelope);
              if (!Array.isArray(data)) throw new TypeError('expected rows');
              return {
                data: data.map((row) => ({
                  ...fieldsOf(row),
                  user_id: `${fieldsOf(row).user_id}_${number}`,
                })),
                // Before all users, so that the simulator begins anew.
                meta: { ...fieldsOf(meta), has_more: true, next_cursor: `a${number}` },
              };
            },
          },
  });
  const begin = () => {
    isEndless = true;
  };
  return Object.assign(installation, { begin });
}

const usersAgain = `backfill --from ${to} --to ${to} --endpoints users --force`;

test.each<[string, Readonly<Record<string, string>>, number, RegExp]>([
  [
    'ten times as many pages as the largest day known, or a thousand',
    {},
    1_000,
    /paging would never end: the platform sent 1000 pages with \d+ records in \d+ bytes for users 2026-01-15, .*; the largest known slice has \d+ records, so at most 1000 pages are accepted; stored rows stay; .*docs\/operations\.md/,
  ],
  [
    'the bytes that a slice may have',
    { MAX_SLICE_BYTES: '20000' },
    30,
    /sent \d+ pages with \d+ records in \d+ bytes for users 2026-01-15, more than MAX_SLICE_BYTES \(20000\)/,
  ],
])(
  'pages of new records without end are given up after %s, and stored rows stay',
  async (_, environment, most, sentence) => {
    await using installation = await withoutEnd();
    const { pool } = installation.database;
    expect((await installation.load(backfill)).code).toBe(0);
    const before = await storedWarehouse(pool);
    installation.begin();
    const asked = installation.simulator.requests.length;
    const { code, summary, stderr } = await installation.load(usersAgain, environment);
    expect({ code, slices: summary.slices }).toMatchObject({ code: 1, slices: { planned: 1, failed: 1 } });
    expect(installation.simulator.requests.length - asked).toBeLessThan(most + 10);
    expect(stderr).toMatch(sentence);
    expect(await storedWarehouse(pool)).toEqual(before);
  },
  60_000,
);
