import { expect, test } from 'vitest';
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
import { driftRows, rejectedRows, sliceRow } from '../support/ledger-rows.ts';

const user = (user_id: string, by_model: unknown): Fields => ({
  user_id,
  user_email: null,
  billable_tokens: 1,
  by_model,
});

/** A record with a breakdown, the same with another figure and the breakdown misshapen, and what is to be held. */
interface Misshapen {
  readonly endpoint: string;
  readonly field: string;
  readonly value: unknown;
  readonly before: readonly Fields[];
  /** The record as it comes now, for a value of the field. */
  readonly now: (value: unknown) => readonly Fields[];
}

const toolRow = (fields: Fields): Fields => ({
  by_tool: [],
  mcp_by_server: [],
  skills_by_name: [],
  slash_commands_by_name: [],
  hooks_by_event: [],
  tool_autonomy_level_ratio: {},
  ...fields,
});
const byTool = many(30, (index) => ({ tool: `Tool ${index}`, invocations: index }));
const clients = { web: 1, 'terminal-ui': 2 };
const byUser = [user('u', [ofModel('m', 1)]), user('v', [ofModel('m', 1), ofModel('n', 2)])];

const tools = (value: unknown): Misshapen => ({
  endpoint: 'tools',
  field: 'by_tool',
  value,
  before: [toolRow({ tool_calls: 1, by_tool: byTool })],
  now: (by_tool) => [toolRow({ tool_calls: 2, by_tool })],
});

const cases: Readonly<Record<string, Misshapen>> = {
  'an object for a list': tools({ Read: 1 }),
  'a text for a list': tools('none'),
  'a list for a map': {
    endpoint: 'activity',
    field: 'daily_active_users_by_client',
    value: [{ web: 1 }],
    before: [{ sessions: 1, daily_active_users_by_client: clients }],
    now: (value) => [{ sessions: 2, daily_active_users_by_client: value }],
  },
  'a text for a map': {
    endpoint: 'tools',
    field: 'tool_autonomy_level_ratio',
    value: 'manual',
    before: [toolRow({ tool_calls: 1, tool_autonomy_level_ratio: { manual: 1 } })],
    now: (value) => [toolRow({ tool_calls: 2, tool_autonomy_level_ratio: value })],
  },
  'a text for a list with lists below': {
    endpoint: 'tokens',
    field: 'by_user',
    value: 'everyone',
    before: [{ billable_tokens: 1, by_model: [], by_user: byUser }],
    now: (by_user) => [{ billable_tokens: 2, by_model: [], by_user }],
  },
  'an object for a list of one user, while that of another changes': {
    endpoint: 'tokens',
    field: 'by_model',
    value: { m: 1 },
    before: [{ billable_tokens: 1, by_model: [], by_user: byUser }],
    now: (value) => [
      {
        billable_tokens: 2,
        by_model: [],
        by_user: [user('u', [ofModel('n', 1)]), user('v', value ?? [ofModel('m', 1), ofModel('n', 2)])],
      },
    ],
  },
};

/** What the field held before: the rows that are to stay. */
const heldValues: Readonly<Record<string, unknown>> = {
  by_tool: byTool,
  daily_active_users_by_client: clients,
  tool_autonomy_level_ratio: { manual: 1 },
  by_user: byUser,
};

test.each(Object.entries(cases))(
  '%s counts as missing: the rows that it fed stay, the rest is loaded, and it is kept',
  async (_what, { endpoint, field, value, before, now }) => {
    await using installation = await install();
    const { pool } = installation.database;
    answer(installation, endpoint, before);
    await loadDay(installation, endpoint);
    answer(installation, endpoint, now(value));
    const { code, summary } = await readAgain(installation, endpoint);
    expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { loaded: 1, failed: 0 } });
    expect(await storedOf(installation)).toEqual(expectedOf(endpoint, now(heldValues[field])));
    expect(await sliceRow(pool, endpoint, writtenDay)).toMatchObject({ status: 'loaded' });
    expect((await rejectedRows(pool, endpoint)).map(({ payload }) => payload)).toEqual([value]);
    const drift = await driftRows(pool, endpoint, 'missing_field');
    expect(drift.map(({ path }) => path)).toContainEqual(expect.stringMatching(new RegExp(`${field}$`)));
  },
);

test('it is no rejected record: languages that are texts fail no slice, however many', async () => {
  await using installation = await install();
  const users = (sessions: number, languages: unknown) =>
    many(30, (index): Fields => ({ user_id: `user_${index}`, sessions, languages }));
  answer(installation, 'users', users(1, ['Go', 'SQL']));
  await loadDay(installation, 'users');
  answer(installation, 'users', users(2, 'Go'));
  const { code, summary } = await readAgain(installation, 'users');
  expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { loaded: 1, failed: 0 } });
  expect(await storedOf(installation)).toEqual(expectedOf('users', users(2, ['Go', 'SQL'])));
  expect(await rejectedRows(installation.database.pool, 'users')).toHaveLength(30);
});

test('in a slice of which nothing is held, there are no rows of it', async () => {
  await using installation = await install();
  answer(installation, 'tools', [toolRow({ tool_calls: 2, by_tool: 'none' })]);
  expect((await loadDay(installation, 'tools')).code).toBe(0);
  expect(await storedOf(installation)).toEqual(expectedOf('tools', [toolRow({ tool_calls: 2 })]));
});
