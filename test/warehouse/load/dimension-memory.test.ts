/** What the keys of dimensions take of memory, told by what is read, sent and kept: it must not follow their texts. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { addDays, type Day } from '../../../src/model/day.ts';
import type { Attribute, Dimension } from '../../../src/model/table.ts';
import { hook, skill, user, userEmail } from '../../../src/sources/dimensions.ts';
import { type DimensionKeys, openDimensionKeys } from '../../../src/warehouse/load/dimension-keys.ts';
import { removeStored } from '../../../src/warehouse/removal/remove-stored.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts';
import { sampleDay } from '../../support/samples.ts';
import { type SliceLoading, startSliceLoading } from '../../support/slice-loading.ts';

let loading: SliceLoading;
let proxy: PostgresProxy;
/** Bytes that went either way. */
let passed = { fromServer: 0, fromClient: 0 };
/** The most bytes that came from the server between two sends of the client. */
let mostAtOnce = 0;
let atOnce = 0;

beforeAll(async () => {
  loading = await startSliceLoading(async (url) => {
    proxy = await startPostgresProxy(url, {
      fromServer(bytes, { client }) {
        passed.fromServer += bytes.length;
        atOnce += bytes.length;
        mostAtOnce = Math.max(mostAtOnce, atOnce);
        client.write(bytes);
      },
      fromClient(bytes, { upstream }) {
        passed.fromClient += bytes.length;
        atOnce = 0;
        upstream.write(bytes);
      },
    });
    return proxy.url;
  });
});

afterAll(async () => {
  await loading.close();
  await proxy.close();
});

beforeEach(async () => {
  await loading.query('truncate warehouse.dim_hook, warehouse.dim_user, warehouse.dim_skill cascade');
  passed = { fromServer: 0, fromClient: 0 };
  mostAtOnce = 0;
});

const kilobyte = 1_000;
const text = 'x'.repeat(4 * kilobyte);

function open(): DimensionKeys {
  const { pool, context } = loading;
  return openDimensionKeys(pool, context.orgKey, context.signal);
}

/** Resolves names of one slice. */
async function resolve(
  keys: DimensionKeys,
  dimension: Dimension,
  names: readonly string[],
  emails?: readonly string[],
  usageDate: Day = sampleDay,
): Promise<number[]> {
  const observed = new Map<Attribute, readonly string[]>(emails && [[userEmail, emails]]);
  const [found] = await keys.resolve('users', [
    { names: new Map([[dimension, names]]), observed, usageDate },
  ]);
  return [...(found?.get(dimension) ?? [])];
}

it('a load reads no text that others named their things by, however much of it there is', async () => {
  await loading.query(
    `insert into warehouse.dim_hook (event, matcher, command)
     select 'Stop', '', number || $1 from generate_series(1, 1000) as number`,
    [text],
  );
  await loading.query(
    `insert into warehouse.dim_skill (skill_name) select 'skill ' || number from generate_series(1, 5000) as number`,
  );
  passed = { fromServer: 0, fromClient: 0 };
  const keys = open();
  const commands = [`7${text}`, 'new', `${text}new`];
  const found = await resolve(
    keys,
    hook,
    commands.map((command) => `Stop\0\0${command}`),
  );
  const [known] = await resolve(keys, skill, ['skill 7']);
  expect(passed.fromServer).toBeLessThan(20 * kilobyte);
  const stored = await loading.query(
    `select hook_key, skill_key from warehouse.dim_hook, warehouse.dim_skill
     where command = any($1) and skill_name = 'skill 7' order by array_position($1, command)`,
    [commands],
  );
  expect(stored).toEqual(found.map((hook_key) => ({ hook_key, skill_key: known })));
});

it('a load reads no long text of its own organization, and knows its rows all the same', async () => {
  await loading.query(
    `insert into warehouse.dim_user (org_key, user_id) select $1, number || $2 from generate_series(1, 1000) as number`,
    [loading.context.orgKey, text],
  );
  passed = { fromServer: 0, fromClient: 0 };
  const names = ['7', '1000', 'new', ''].map((number) => `${number}${text}`);
  const keys = open();
  const found = await resolve(keys, user, names);
  expect(await resolve(keys, user, names)).toEqual(found);
  expect(await resolve(open(), user, names)).toEqual(found);
  expect(passed.fromServer).toBeLessThan(500 * kilobyte);
  const stored = await loading.query(
    'select user_key from warehouse.dim_user where user_id = any($1) order by array_position($1, user_id)',
    [names],
  );
  expect(stored.map(({ user_key }) => user_key)).toEqual(found);
  expect(await loading.query('select count(*)::integer as users from warehouse.dim_user')).toEqual([
    { users: 1002 },
  ]);
});

it('names that an answer brings are sent once, and no text of them comes back', async () => {
  const names = Array.from({ length: 1000 }, (_, index) => `Stop\0\0${index}${text}`);
  const keys = open();
  const made = await resolve(keys, hook, names);
  expect(new Set(made).size).toBe(1000);
  expect(await resolve(keys, hook, names.toReversed())).toEqual(made.toReversed());
  expect(passed.fromServer).toBeLessThan(300 * kilobyte);
  expect(passed.fromClient).toBeLessThan(1.1 * 1000 * text.length);
  expect(await resolve(open(), hook, names)).toEqual(made);
});

it('no statement has more than a bounded amount of text, whatever is new or reported', async () => {
  const sizes: number[] = [];
  await loading.query(`
    create table public.sizes (bytes bigint);
    create function public.note_size() returns trigger language plpgsql as $$
    begin
      insert into public.sizes select sum(octet_length(user_id) + octet_length(user_email)) from changed;
      return null;
    end $$;
    create trigger note_made after insert on warehouse.dim_user referencing new table as changed
      for each statement execute function public.note_size();
    create trigger note_followed after update on warehouse.dim_user referencing new table as changed
      for each statement execute function public.note_size()`);
  const names = Array.from({ length: 1000 }, (_, index) => `${index}${text}`);
  const emails = (day: number) => names.map((name) => `${day}${name}`);
  await resolve(open(), user, names, emails(1));
  await resolve(open(), user, names, emails(2), addDays(sampleDay, 1));
  for (const { bytes } of await loading.query('select bytes::integer as bytes from public.sizes'))
    sizes.push(Number(bytes));
  expect(sizes.reduce((sum, bytes) => sum + bytes)).toBeGreaterThan(16_000 * kilobyte);
  expect(Math.max(...sizes)).toBeLessThan(2_100 * kilobyte);
  const followed = await loading.query(
    `select count(*)::integer as users from warehouse.dim_user where user_email = '2' || user_id`,
  );
  expect(followed).toEqual([{ users: 1000 }]);
});

it('addresses in names are taken out of all of them, a bounded number at a time', async () => {
  await loading.query(
    `insert into warehouse.dim_hook (event, matcher, command)
     select 'Stop', '', case when number % 3 = 0 then 'ann@x.io ' else 'scope@ ' end || number || $1
     from generate_series(1, 450) as number`,
    [text],
  );
  const { pool, context } = loading;
  await removeStored(
    pool,
    [{ table: 'warehouse.dim_hook', column: 'command', kind: 'text' }],
    {
      orgKeys: [context.orgKey],
      pattern: '@',
      rewrite: ({ value }) => value.replace('ann@x.io', 'withheld'),
      onSameName: 'number',
      archive: {},
      rewriteJson: (json) => json,
    },
    context.signal,
  );
  expect(
    await loading.query(
      `select split_part(command, ' ', 1) as beginning, count(*)::integer as hooks
       from warehouse.dim_hook group by 1 order by 1`,
    ),
  ).toEqual([
    { beginning: 'scope@', hooks: 300 },
    { beginning: 'withheld', hooks: 150 },
  ]);
  expect(mostAtOnce).toBeLessThan(600 * kilobyte);
});

it('a run remembers names of any length in the same room', async () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new TypeError('expected a function that collects garbage');
  const keys = open();
  const namesOf = (slice: number) =>
    Array.from({ length: 1000 }, (_, index) => `Stop\0\0${slice} ${index}${text}`);
  await resolve(keys, hook, namesOf(0));
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let slice = 1; slice <= 8; slice++) await resolve(keys, hook, namesOf(slice));
  collect();
  // Eight thousand names have 32 MB of text.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(8_000 * kilobyte);
  expect((await resolve(keys, hook, namesOf(0))).length).toBe(1000);
});
