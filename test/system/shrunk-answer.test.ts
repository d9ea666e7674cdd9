import { describe, expect, test } from 'vitest';
import {
  answer,
  expectedOf,
  type Fields,
  loadDay,
  many,
  ofModel,
  readAgain,
  storedOf,
  writtenDay,
} from '../support/answered-days.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { type Installation, install } from '../support/installation.ts';
import { archiveRows, driftRows, factRows, sliceRow } from '../support/ledger-rows.ts';
import { tinyBounds } from '../support/tiny-bounds.ts';

const users = (count: number, ...languages: unknown[]) =>
  many(
    count,
    (index): Fields => ({ user_id: `user_${String(index).padStart(4, '0')}`, sessions: 1, languages }),
  );

const modelRow = (credits: number, models: readonly string[]): Fields => ({
  billable_tokens: models.length * credits,
  by_model: models.map((model) => ofModel(model, credits)),
  by_user: [],
});
const models = (count: number, name: string) => many(count, (index) => `${name}-${index}`);

const toolRow = (fields: Fields): Fields => ({
  tool_calls: 1,
  mcp_by_server: [],
  skills_by_name: [],
  slash_commands_by_name: [],
  hooks_by_event: [],
  tool_autonomy_level_ratio: {},
  ...fields,
});
const tools = (count: number) => many(count, (index) => ({ tool: `Tool ${index}`, invocations: index }));

/** What the warehouse holds, and the answer that comes then. */
interface Shrinking {
  readonly endpoint: string;
  readonly held: readonly Fields[];
  readonly now: readonly Fields[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Tables that an answer would shrink, with the rows that they hold and would hold. */
type Refused = Shrinking & { readonly shrinks: readonly (readonly [string, number, number])[] };

const refused: Readonly<Record<string, Refused>> = {
  '20 of 39 rows': {
    endpoint: 'users',
    held: users(39),
    now: users(19),
    shrinks: [['fact_user_daily', 39, 19]],
  },
  '60 rows and bring 25 others': {
    endpoint: 'tokens',
    held: [modelRow(1, models(60, 'old'))],
    now: [modelRow(2, models(25, 'new'))],
    shrinks: [['fact_token_model_daily', 60, 25]],
  },
  '60 rows, above every bound, and bring 25 others': {
    endpoint: 'tokens',
    held: [modelRow(1, models(60, 'old'))],
    now: [modelRow(2, models(25, 'new'))],
    environment: tinyBounds,
    shrinks: [['fact_token_model_daily', 60, 25]],
  },
  'most rows of several tables': {
    endpoint: 'users',
    held: users(60, 'Go'),
    now: users(5, 'C'),
    shrinks: [
      ['fact_user_daily', 60, 5],
      ['bridge_user_language_daily', 60, 5],
    ],
  },
  'every row, by a list without any': {
    endpoint: 'users',
    held: users(3, 'Go', 'C'),
    now: [],
    shrinks: [
      ['fact_user_daily', 3, 0],
      ['bridge_user_language_daily', 6, 0],
    ],
  },
  'all 30 rows of a table, though all of another stay': {
    endpoint: 'users',
    held: users(30, 'Go'),
    now: users(30),
    shrinks: [['bridge_user_language_daily', 30, 0]],
  },
  'all 25 rows of a breakdown that is an empty list now': {
    endpoint: 'tools',
    held: [toolRow({ by_tool: tools(25) })],
    now: [toolRow({ by_tool: [] })],
    shrinks: [['fact_tool_usage_daily', 25, 0]],
  },
  '25 of 100 rows where a fifth is allowed': {
    endpoint: 'users',
    held: users(100),
    now: users(75),
    environment: { MAX_DELETED_SHARE: '0.2' },
    shrinks: [['fact_user_daily', 100, 75]],
  },
};

const loaded: Readonly<Record<string, Shrinking>> = {
  '20 of 40 rows, which is the share itself': { endpoint: 'users', held: users(40), now: users(20) },
  '19 of 30 rows, which are few': { endpoint: 'users', held: users(30), now: users(11) },
  '19 rows of each of two tables': {
    endpoint: 'users',
    held: users(20, 'Go'),
    now: users(1, 'Go'),
  },
  '90 of 100 rows where all but a few are allowed': {
    endpoint: 'users',
    held: users(100),
    now: users(10),
    environment: { MAX_DELETED_SHARE: '0.95' },
  },
  'all 60 rows of a table, and brings as many others with more credits': {
    endpoint: 'tokens',
    held: [modelRow(1, models(60, 'old'))],
    now: [modelRow(2, models(60, 'new'))],
  },
  'all 60 rows of a table above every bound, and brings as many others': {
    endpoint: 'tokens',
    held: [modelRow(1, models(60, 'old'))],
    now: [modelRow(2, models(60, 'new'))],
    environment: tinyBounds,
  },
  'every user, and brings others who know another language': {
    endpoint: 'users',
    held: users(40, 'Go'),
    now: users(40, 'Rust').map((row, index) => ({ ...row, user_id: `renamed_${index}` })),
  },
};

/** An installation that holds a day, which the platform reports otherwise now. */
async function installShrinking({ endpoint, held, now, environment }: Shrinking): Promise<Installation> {
  const installation = await install();
  answer(installation, endpoint, held);
  expect((await loadDay(installation, endpoint, environment)).code).toBe(0);
  answer(installation, endpoint, now);
  return installation;
}

const sortedByTable = (tables: readonly { readonly table: string }[] | undefined) =>
  tables?.toSorted((a, b) => (a.table < b.table ? -1 : 1));

describe('an answer that would delete', () => {
  test.each(Object.entries(refused))('%s is refused: all stays as it is', async (_what, each) => {
    await using installation = await installShrinking(each);
    const { pool } = installation.database;
    const { endpoint, environment, shrinks } = each;
    const held = [await factRows(pool), await archiveRows(pool, endpoint, writtenDay)];
    const before = await sliceRow(pool, endpoint, writtenDay);

    const { code, summary } = await readAgain(installation, endpoint, environment);
    expect({ code, ...summary }).toMatchObject({
      code: 0,
      status: 'succeeded',
      slices: { planned: 1, refused: 1, unchanged: 0, loaded: 0, empty: 0, pending: 0, failed: 0 },
      rows: { inserted: 0, updated: 0, deleted: 0 },
    });
    const listed = shrinks.map(([table, before, after]) => ({
      ...{ endpoint, slice_key: writtenDay },
      ...{ table, held: before, would_hold: after },
    }));
    expect(sortedByTable(summary.refused)).toEqual(sortedByTable(listed));
    expect([await factRows(pool), await archiveRows(pool, endpoint, writtenDay)]).toEqual(held);
    expect(await sliceRow(pool, endpoint, writtenDay)).toMatchObject({
      status: 'loaded',
      source_hash: before?.source_hash,
      row_count: before?.row_count,
      loaded_at: before?.loaded_at,
      error: null,
      last_error: expect.stringMatching(/MAX_DELETED_SHARE|reports no rows/),
      refused_at: expect.any(String),
      last_failed_at: expect.any(String),
    });
    expect(await driftRows(pool, endpoint, 'shrunk')).not.toEqual([]);
  });

  test.each(Object.entries(loaded))('%s is loaded', async (_what, each) => {
    await using installation = await installShrinking(each);
    const { pool } = installation.database;
    const { endpoint, now, environment } = each;
    const { code, summary } = await readAgain(installation, endpoint, environment);
    expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { loaded: 1, refused: 0 } });
    expect(summary.refused).toBeUndefined();
    expect(await storedOf(installation)).toEqual(expectedOf(endpoint, now));
    expect(await sliceRow(pool, endpoint, writtenDay)).toMatchObject({
      last_error: null,
      last_failed_at: null,
      refused_at: null,
    });
    expect(await driftRows(pool, endpoint, 'shrunk')).toEqual([]);
  });
});

describe('what does not count as deleted:', () => {
  test('rows that are kept because their records cannot be read', async () => {
    const held = users(60);
    const now = held.map((row, index) =>
      index < 40 ? { ...row, sessions: 'many' } : { ...row, sessions: 2 },
    );
    await using installation = await installShrinking({ endpoint: 'users', held, now });
    const { code, summary } = await readAgain(installation, 'users', { MAX_REJECTED_SHARE: '0.9' });
    expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { loaded: 1 } });
    const expected = held.map((row, index) => (index < 40 ? row : { ...row, sessions: 2 }));
    expect(await storedOf(installation)).toEqual(expectedOf('users', expected));
  });

  test('rows that are kept do not count as brought either', async () => {
    // Of 60, 30 are kept and 30 vanish; 5 others come.
    const held = users(60);
    const now = [
      ...held.slice(0, 30).map((row) => ({ ...row, sessions: 'many' })),
      ...users(5).map((row, index) => ({ ...row, user_id: `new_${index}` })),
    ];
    const rules = { MAX_REJECTED_SHARE: '0.9', MAX_DELETED_SHARE: '0.4' };
    await using installation = await installShrinking({ endpoint: 'users', held, now });
    const { summary } = await readAgain(installation, 'users', rules);
    expect(summary).toMatchObject({
      slices: { refused: 1 },
      refused: [{ table: 'fact_user_daily', held: 60, would_hold: 35 }],
    });
    const allowed = await readAgain(installation, 'users', { ...rules, MAX_DELETED_SHARE: '0.42' });
    expect(allowed.summary).toMatchObject({ slices: { loaded: 1 }, rows: { inserted: 5, deleted: 30 } });
  });

  test('rows of a breakdown that is missing', async () => {
    const held = [toolRow({ by_tool: tools(60) })];
    await using installation = await installShrinking({
      endpoint: 'tools',
      held,
      now: [toolRow({ tool_calls: 5 })],
    });
    const { code, summary } = await readAgain(installation, 'tools');
    expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { loaded: 1 } });
    expect(await storedOf(installation)).toEqual(
      expectedOf('tools', [toolRow({ tool_calls: 5, by_tool: tools(60) })]),
    );
  });
});

test('replay does not ask how much it would delete', async () => {
  await using installation = await install();
  const { pool } = installation.database;
  answer(installation, 'users', users(5));
  await loadDay(installation, 'users');
  // As if these had been loaded by mistake: far more than the archive has.
  await pool.query(
    `with strangers as (
       insert into warehouse.dim_user (org_key, user_id)
         select org_key, 'stranger_' || number from warehouse.dim_org, generate_series(1, 50) as number
         returning org_key, user_key
     )
     insert into warehouse.fact_user_daily (org_key, usage_date, user_key, sessions)
       select org_key, $1::date, user_key, 1 from strangers`,
    [writtenDay],
  );
  const { code, summary } = await loadInProcess(installation, 'replay --endpoints users');
  expect({ code, rows: summary.rows }).toMatchObject({ code: 0, rows: { deleted: 50 } });
  expect(await storedOf(installation)).toEqual(expectedOf('users', users(5)));
});
