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
import { install } from '../support/installation.ts';
import { archiveRows, factRows, rejectedRows, sliceRow } from '../support/ledger-rows.ts';
import { tinyBounds } from '../support/tiny-bounds.ts';

/** Entries of which some, at the beginning or the end, have a figure that cannot be read. */
function entries(count: number, bad: number, make: (index: number, figure: unknown) => Fields): Fields[] {
  return many(count, (index) => make(index, index < bad ? 'lots' : index));
}

const users = (count: number, bad: number) =>
  entries(count, bad, (index, sessions) => ({ user_id: `user_${index}`, sessions, languages: [] }));
const tools = (count: number, bad: number) =>
  entries(count, bad, (index, invocations) => ({ tool: `Tool ${index}`, invocations }));
const skills = (count: number, bad: number) =>
  entries(count, bad, (index, figure) => ({ name: `skill ${index}`, count: figure }));
const byUser = (count: number, bad: number) =>
  entries(count, bad, (index, billable_tokens) => ({
    user_id: `user_${index}`,
    user_email: null,
    billable_tokens,
    by_model: [],
  }));

const toolRow = (fields: Fields): Fields => ({
  tool_calls: 1,
  by_tool: [],
  mcp_by_server: [],
  skills_by_name: [],
  slash_commands_by_name: [],
  hooks_by_event: [],
  tool_autonomy_level_ratio: {},
  ...fields,
});
const tokenRow = (fields: Fields): Fields => ({ billable_tokens: 1, by_model: [], by_user: [], ...fields });

/** A user of `/tokens` with a good model and one that cannot be read. */
const halfGood = (index: number): Fields => ({
  ...byUser(1, 0)[0],
  user_id: `user_${index}`,
  by_model: [ofModel('m', 1), ofModel('n', 'one')],
});

interface Answer {
  readonly endpoint: string;
  readonly rows: readonly Fields[];
  readonly environment?: Readonly<Record<string, string>>;
}

const loads: Readonly<Record<string, Answer>> = {
  '5 of 25 records, which is the share itself': { endpoint: 'users', rows: users(25, 5) },
  '4 of 10 records, which are few': { endpoint: 'users', rows: users(10, 4) },
  'the first 8 of 120 records, all in one chunk': {
    endpoint: 'users',
    rows: users(120, 8),
    environment: tinyBounds,
  },
  'all 4 entries of a list': { endpoint: 'tools', rows: [toolRow({ by_tool: tools(4, 4) })] },
  '4 entries of each of two lists': {
    endpoint: 'tools',
    rows: [toolRow({ by_tool: tools(5, 4), skills_by_name: skills(5, 4) })],
  },
  '4 of 25 records where none is allowed, for they are few': {
    endpoint: 'users',
    rows: users(25, 4),
    environment: { MAX_REJECTED_SHARE: '0' },
  },
};

const fails: Readonly<Record<string, Answer>> = {
  '5 of 24 records': { endpoint: 'users', rows: users(24, 5) },
  '61 of 300 records above every bound': {
    endpoint: 'users',
    rows: users(300, 61),
    environment: tinyBounds,
  },
  'the only record': { endpoint: 'tokens', rows: [tokenRow({ billable_tokens: 'many' })] },
  'all 4 records, even where every share is allowed': {
    endpoint: 'users',
    rows: users(4, 4),
    environment: { MAX_REJECTED_SHARE: '1' },
  },
  '5 of 10 entries of a list, however many there are in others': {
    endpoint: 'tools',
    rows: [toolRow({ by_tool: tools(10, 5), skills_by_name: skills(200, 0) })],
  },
  'all 5 entries of a list': { endpoint: 'tools', rows: [toolRow({ by_tool: tools(5, 5) })] },
  'one of two entries in each of 6 lists of one kind': {
    endpoint: 'tokens',
    rows: [tokenRow({ by_user: many(6, halfGood) })],
  },
  'the same above every bound': {
    endpoint: 'tokens',
    rows: [tokenRow({ by_user: many(80, halfGood) })],
    environment: tinyBounds,
  },
  '5 of 10 languages of one user': {
    endpoint: 'users',
    rows: [
      ...users(8, 0),
      {
        user_id: 'polyglot',
        languages: many(10, (index) => (index % 2 === 0 ? index : `Language ${index}`)),
      },
    ],
  },
  '5 of 25 records where none is allowed': {
    endpoint: 'users',
    rows: users(25, 5),
    environment: { MAX_REJECTED_SHARE: '0' },
  },
};

describe('of a slice whose rejected records are', () => {
  test.each(Object.entries(loads))('%s, the others are loaded', async (_what, each) => {
    await using installation = await install();
    const { endpoint, rows, environment } = each;
    answer(installation, endpoint, rows);
    const { code, summary } = await loadDay(installation, endpoint, environment);
    expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { loaded: 1, failed: 0 } });
    expect(await storedOf(installation)).toEqual(expectedOf(endpoint, rows.map(withoutBad).filter(isGood)));
    const kept = await rejectedRows(installation.database.pool, endpoint);
    expect(kept).toHaveLength(summary.rows.rejected ?? 0);
    expect(kept.length).toBeGreaterThan(3);
  });

  test.each(Object.entries(fails))('%s, nothing is loaded', async (_what, each) => {
    await using installation = await install();
    const { pool } = installation.database;
    const { endpoint, rows, environment } = each;
    answer(installation, endpoint, rows);
    const { code, summary } = await loadDay(installation, endpoint, environment);
    expect({ code, slices: summary.slices }).toMatchObject({ code: 1, slices: { loaded: 0, failed: 1 } });
    expect(await storedOf(installation)).toEqual(expectedOf(endpoint, []));
    expect(await sliceRow(pool, endpoint, writtenDay)).toMatchObject({
      status: 'failed',
      error: expect.any(String),
    });
    expect(await archiveRows(pool, endpoint, writtenDay)).toEqual([]);
    expect(await rejectedRows(pool, endpoint)).not.toEqual([]);
  });

  test('too many, what is held stays as it is and the slice stays loaded', async () => {
    await using installation = await install();
    const { pool } = installation.database;
    answer(installation, 'users', users(24, 0));
    await loadDay(installation, 'users');
    const held = [await factRows(pool), await archiveRows(pool, 'users', writtenDay)];
    const before = await sliceRow(pool, 'users', writtenDay);
    answer(installation, 'users', users(24, 12));
    const { code, summary } = await readAgain(installation, 'users');
    expect({ code, slices: summary.slices }).toMatchObject({ code: 1, slices: { failed: 1 } });
    expect([await factRows(pool), await archiveRows(pool, 'users', writtenDay)]).toEqual(held);
    expect(await sliceRow(pool, 'users', writtenDay)).toMatchObject({
      status: 'loaded',
      source_hash: before?.source_hash,
      row_count: before?.row_count,
      loaded_at: before?.loaded_at,
      error: null,
      last_error: expect.stringContaining('MAX_REJECTED_SHARE'),
      last_failed_at: expect.any(String),
    });
  });
});

/** What is left of a record when its entries that cannot be read are gone. */
function withoutBad(row: Fields): Fields {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.filter((entry: unknown) => !hasBadFigure(entry)) : value,
    ]),
  );
}

const isGood = (row: Fields) => !hasBadFigure(row);

function hasBadFigure(entry: unknown): boolean {
  return typeof entry === 'object' && entry !== null && Object.values(entry).includes('lots');
}
