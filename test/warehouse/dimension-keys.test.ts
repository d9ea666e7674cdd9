import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { day } from '../../src/model/day.ts';
import type { Dimension } from '../../src/model/table.ts';
import { mcpServer, model, tool, user } from '../../src/sources/dimensions.ts';
import { withTransaction } from '../../src/warehouse/connection/connection.ts';
import { organizationKey } from '../../src/warehouse/ledger/organization.ts';
import { createKeyCache, type ResolvedKeys, resolveKeys } from '../../src/warehouse/load/dimension-keys.ts';
import { type SliceLoading, startSliceLoading } from '../support/slice-loading.ts';

let loading: SliceLoading;

beforeAll(async () => {
  loading = await startSliceLoading();
});

afterAll(() => loading.close());

/** The key of each name, in a transaction of its own that knows no key. */
async function resolve(
  dimension: Dimension,
  names: readonly string[],
  orgKey = loading.context.orgKey,
): Promise<Map<string, number | undefined>> {
  const keys = await withTransaction(loading.pool, ({ db }) =>
    resolveKeys(db, orgKey, dimension, names, createKeyCache(), new Map()),
  );
  return new Map(names.map((name, index) => [name, keys[index]]));
}

describe('a natural key', () => {
  it('gets one surrogate key and keeps it', async () => {
    const first = await resolve(tool, ['Read', 'Edit']);
    const second = await resolve(tool, ['Edit', 'Grep', 'Read']);
    expect(second.get('Read')).toBe(first.get('Read'));
    expect(new Set(second.values()).size).toBe(3);
  });

  it('is taken exactly as it is: case, spaces, quotes, braces, any length', async () => {
    const names = [
      'a',
      'A',
      ' a',
      'a ',
      '',
      'NULL',
      'null',
      '{a,b}',
      '"a"',
      "'a'",
      'a\\b',
      '\\N',
      'a\tb\nc\r',
      'é',
      'e\u0301',
      '😀',
      'x'.repeat(1_000_000),
    ];
    const keys = await resolve(mcpServer, names);
    expect(new Set(keys.values()).size).toBe(names.length);
    const stored = await loading.query('select server_name from warehouse.dim_mcp_server');
    expect(new Set(stored.map((row) => row.server_name))).toEqual(new Set(names));
  });

  it('of several parts is told apart by each of them', async () => {
    const keys = await resolve(model, ['a\0b', 'a\0', '\0a', 'a,b\0', 'a\0,b', '\0']);
    expect(new Set(keys.values()).size).toBe(6);
  });

  it('of a user belongs to one organization', async () => {
    const other = await withTransaction(loading.pool, ({ db }) => organizationKey(db, 'org_other'));
    const [mine, theirs] = [await resolve(user, ['u']), await resolve(user, ['u'], other)];
    expect(mine.get('u')).not.toBe(theirs.get('u'));
  });

  it('that was rolled back is nobody’s', async () => {
    const failing = withTransaction(loading.pool, async ({ db }) => {
      await resolveKeys(db, 1, tool, ['lost'], createKeyCache(), new Map());
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await loading.query(`select from warehouse.dim_tool where tool_name = 'lost'`)).toEqual([]);
    expect((await resolve(tool, ['lost'])).get('lost')).toBeDefined();
  });
});

it('transactions that make the same new keys at once neither block for ever nor make them twice', async () => {
  const names = Array.from({ length: 500 }, (_, index) => `tool ${(index * 7919) % 500}`);
  const results = await Promise.all(
    [names, [...names].reverse(), names.slice(250), [...names].sort()].map((part) => resolve(tool, part)),
  );
  for (const name of names) {
    const keys = new Set(results.flatMap((keys) => keys.get(name) ?? []));
    expect(keys.size, name).toBe(1);
  }
});

it('slices of one new organization that name the same new things load at once', async () => {
  const entries = (names: string[]) => names.map((tool) => ({ tool, invocations: 1 }));
  const names = Array.from({ length: 200 }, (_, index) => `shared ${index}`);
  const days = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'] as const;
  const stored = await Promise.all(
    days.map((date, index) =>
      loading.load('tools', [{ date, by_tool: entries(index % 2 === 0 ? names : [...names].reverse()) }], {
        day: day(date),
      }),
    ),
  );
  expect(stored.map(({ inserted }) => inserted)).toEqual([201, 201, 201, 201]);
});

it('many keys are resolved in one call', async () => {
  const names = new Set(Array.from({ length: 25_000 }, (_, index) => `u${index}`));
  const keys = await resolve(user, [...names]);
  expect(new Set(keys.values()).size).toBe(25_000);
});

it('the cache remembers what was committed, and asks the database for nothing then', async () => {
  const cache = createKeyCache();
  const resolved: ResolvedKeys = new Map();
  await withTransaction(loading.pool, ({ db }) => resolveKeys(db, 1, tool, ['cached'], cache, resolved));
  expect(cache.get(tool, 'cached')).toBeUndefined();
  cache.remember({ resolved, latestReports: new Map() });
  const key = cache.get(tool, 'cached');
  expect(key).toBeDefined();
  await loading.query(`update warehouse.dim_tool set tool_name = 'renamed' where tool_name = 'cached'`);
  const again = await withTransaction(loading.pool, ({ db }) =>
    resolveKeys(db, 1, tool, ['cached'], cache, new Map()),
  );
  expect([...again]).toEqual([key]);
});
