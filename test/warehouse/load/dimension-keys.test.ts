import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { day } from '../../../src/model/day.ts';
import { storableText } from '../../../src/model/json.ts';
import { type Dimension, partSeparator } from '../../../src/model/table.ts';
import { mcpServer, model, tool, user } from '../../../src/sources/dimensions.ts';
import { withTransaction } from '../../../src/warehouse/connection/connection.ts';
import { organizationKey } from '../../../src/warehouse/ledger/organization.ts';
import { type DimensionKeys, openDimensionKeys } from '../../../src/warehouse/load/dimension-keys.ts';
import { digestOf } from '../../../src/warehouse/load/natural-key.ts';
import { sampleDay } from '../../support/samples.ts';
import { sharedSliceLoading } from '../../support/slice-loading.ts';

const loading = await sharedSliceLoading();

/** Keys as a run opens them, which knows none yet. */
function open(orgKey = loading.context.orgKey): DimensionKeys {
  return openDimensionKeys(loading.pool, orgKey, loading.context.signal);
}

/** The key of each name. */
async function resolve(
  dimension: Dimension,
  names: readonly string[],
  keys: DimensionKeys = open(),
): Promise<Map<string, number | undefined>> {
  const batch = { names: new Map([[dimension, names]]), observed: new Map(), usageDate: null };
  const [resolved] = await keys.resolve('tools', [batch]);
  return new Map(names.map((name, index) => [name, resolved?.get(dimension)?.[index]]));
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

  it('has the digest that Postgres gives it, whatever it holds', async () => {
    const special = fc.constantFrom(
      'null',
      'NULL',
      'nuLL',
      '',
      ' ',
      '\t',
      '\v',
      '\f',
      '\u00a0',
      '"',
      '\\',
      '{',
      '}',
      ',',
    );
    const part = fc
      .array(fc.oneof(special, fc.string({ unit: 'binary' })), { maxLength: 4 })
      .map((texts) => storableText(texts.join('')));
    const naturalKey = fc.array(part, { minLength: 1, maxLength: 3 });
    const examples = fc.sample(naturalKey, 2_000);
    const [row] = await loading.query(
      `select array_agg(encode(warehouse.natural_key_digest(variadic array(select jsonb_array_elements_text(parts))), 'hex') order by position) as digests
       from jsonb_array_elements($1) with ordinality as example (parts, position)`,
      [JSON.stringify(examples)],
    );
    expect(examples.map((parts) => digestOf(parts.join(partSeparator)))).toEqual(row?.digests);
  });

  it('is told from others just as long, and from one that reads like its digest', async () => {
    const long = [
      'x'.repeat(63),
      'x'.repeat(64),
      'é'.repeat(64),
      '😀'.repeat(32),
      '😀'.repeat(31),
      'x'.repeat(255),
      'x'.repeat(256),
      'é'.repeat(128),
    ];
    const names = [...long, ...long.map(digestOf)];
    const keys = open();
    const made = await resolve(user, names, keys);
    expect(new Set(made.values()).size).toBe(names.length);
    expect(await resolve(user, names, keys)).toEqual(made);
    expect(await resolve(user, names)).toEqual(made);
  });

  it('of a user belongs to one organization', async () => {
    const other = await withTransaction(loading.pool, ({ db }) => organizationKey(db, 'org_other'));
    const [mine, theirs] = [await resolve(user, ['u']), await resolve(user, ['u'], open(other))];
    expect(mine.get('u')).not.toBe(theirs.get('u'));
  });

  it('stays when the rows that it was made for could not be loaded', async () => {
    const lost = [{ tool: 'lost', invocations: 1 }];
    await loading.query(`
      create function warehouse.refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create trigger refuse before insert on warehouse.fact_tool_usage_daily
        for each row execute function warehouse.refuse()`);
    await expect(loading.load('tools', [{ date: sampleDay, by_tool: lost }])).rejects.toThrow('no');
    await loading.query('drop function warehouse.refuse() cascade');
    const made = await loading.query(`select tool_key from warehouse.dim_tool where tool_name = 'lost'`);
    expect(made).toHaveLength(1);
    await loading.load('tools', [{ date: sampleDay, by_tool: lost }]);
    expect(await loading.query('select tool_key from warehouse.fact_tool_usage_daily')).toEqual(made);
  });

  it('is found without being made', async () => {
    const read = (await resolve(tool, ['Read'])).get('Read');
    expect(await open().find(tool, ['nobody', 'Read'])).toEqual(new Map([['Read', read]]));
    expect(await loading.query(`select from warehouse.dim_tool where tool_name = 'nobody'`)).toEqual([]);
  });
});

it('runs that make the same new keys at once neither block for ever nor make them twice', async () => {
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

it('what is known is remembered, and the database asked for nothing then', async () => {
  const keys = open();
  const known = await resolve(tool, ['cached'], keys);
  await loading.query(`update warehouse.dim_tool set tool_name = 'renamed' where tool_name = 'cached'`);
  expect(await resolve(tool, ['cached'], keys)).toEqual(known);
  expect(await resolve(tool, ['cached'])).not.toEqual(known);
});

it('names of several slices are resolved together, each in the order of its own', async () => {
  const batchOf = (...names: string[]) => ({
    names: new Map([[tool, names]]),
    observed: new Map(),
    usageDate: null,
  });
  const keys = open();
  await resolve(tool, ['known'], keys);
  const resolved = await keys.resolve('tools', [batchOf('new', 'known'), batchOf(), batchOf('known', 'new')]);
  const [first, none, last] = resolved.map((ofBatch) => [...(ofBatch.get(tool) ?? [])]);
  expect(first).toEqual(last?.toReversed());
  expect(none).toEqual([]);
  expect(new Set(first).size).toBe(2);
});

it('keys are found again after the connection was lost', async () => {
  const keys = open();
  await resolve(tool, ['before'], keys);
  await loading.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);
  expect((await resolve(tool, ['after'], keys)).get('after')).toBeDefined();
});
