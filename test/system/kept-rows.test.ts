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
import { rejectedRows, sliceRow } from '../support/ledger-rows.ts';
import { bounds } from '../support/tiny-bounds.ts';

/** An answer for an endpoint: what was loaded, what comes now, and what the warehouse must hold then. */
interface Case {
  readonly endpoint: string;
  readonly before: Fields;
  readonly now: Fields;
  readonly held: Fields;
}

const user = (user_id: string, credits: unknown, by_model: readonly Fields[]): Fields => ({
  user_id,
  user_email: null,
  billable_tokens: credits,
  by_model,
});
const tool = (name: string, invocations: unknown): Fields => ({ tool: name, invocations });

/** Fields of the day's record that are the same in all answers. */
const beside: Readonly<Record<string, Fields>> = {
  tokens: { billable_tokens: 9, input_tokens: 1, output_tokens: 2, by_model: [ofModel('m', 9)], by_user: [] },
  tools: {
    tool_calls: 7,
    by_tool: [],
    mcp_by_server: [],
    skills_by_name: [],
    slash_commands_by_name: [],
    hooks_by_event: [],
    tool_autonomy_level_ratio: {},
  },
  activity: { daily_active_users: 5, daily_active_users_by_client: {} },
  productivity: { files_created: 5, by_extension: [], by_language: [] },
};

const hook = (event: unknown, matcher: unknown, command: string, count: unknown): Fields => ({
  event,
  matcher,
  command,
  count,
});

/** One record of each answer cannot be read; others change, and others vanish. */
const cases: Readonly<Record<string, Case>> = {
  'an entry of a list': {
    endpoint: 'tools',
    before: { by_tool: [tool('Read', 1), tool('Edit', 2), tool('Bash', 3)] },
    now: { by_tool: [tool('Read', 'lots'), tool('Edit', 20), tool('New', 4)] },
    held: { by_tool: [tool('Read', 1), tool('Edit', 20), tool('New', 4)] },
  },
  'an entry of a map': {
    endpoint: 'activity',
    before: { daily_active_users_by_client: { web: 1, 'terminal-ui': 2, pigeon: 3 } },
    now: { daily_active_users_by_client: { web: -1, 'terminal-ui': 20 } },
    held: { daily_active_users_by_client: { web: 1, 'terminal-ui': 20 } },
  },
  'an entry with a key of several parts': {
    endpoint: 'tools',
    before: {
      hooks_by_event: [hook('Stop', 'a', 'x', 1), hook('Stop', 'b', 'x', 2), hook('Stop', '', 'y', 3)],
    },
    now: { hooks_by_event: [hook('Stop', 'a', 'x', 1.5), hook('Stop', 'b', 'x', 20)] },
    held: { hooks_by_event: [hook('Stop', 'a', 'x', 1), hook('Stop', 'b', 'x', 20)] },
  },
  'an entry of by_user[], with all that is below it': {
    endpoint: 'tokens',
    before: {
      by_user: [
        user('u', 5, [ofModel('m', 2), ofModel('n', 3)]),
        user('v', 3, [ofModel('m', 3)]),
        user('w', 2, [ofModel('m', 2)]),
      ],
    },
    now: { by_user: [user('u', 'five', []), user('v', 30, [ofModel('n', 30)])] },
    held: {
      by_user: [user('u', 5, [ofModel('m', 2), ofModel('n', 3)]), user('v', 30, [ofModel('n', 30)])],
    },
  },
  'an entry of by_user[].by_model[]': {
    endpoint: 'tokens',
    before: {
      by_user: [user('u', 5, [ofModel('m', 2), ofModel('n', 3)]), user('v', 3, [ofModel('m', 3)])],
    },
    now: { by_user: [user('u', 6, [ofModel('m', 'two')]), user('v', 3, [ofModel('n', 3)])] },
    held: { by_user: [user('u', 6, [ofModel('m', 2)]), user('v', 3, [ofModel('n', 3)])] },
  },
};

/** Here it is a part of the key that cannot be read: nothing below the parent is deleted. */
const keyless: Readonly<Record<string, Case>> = {
  'an entry of a list': {
    endpoint: 'tools',
    before: { by_tool: [tool('Read', 1), tool('Edit', 2), tool('Bash', 3)] },
    now: { by_tool: [{ invocations: 7 }, tool('Edit', 20), tool('New', 4)] },
    held: { by_tool: [tool('Read', 1), tool('Edit', 20), tool('Bash', 3), tool('New', 4)] },
  },
  'an entry of by_user[]': {
    endpoint: 'tokens',
    before: {
      by_user: [user('u', 5, [ofModel('m', 2), ofModel('n', 3)]), user('v', 3, [ofModel('m', 3)])],
    },
    now: { by_user: [{ ...user('', 5, []), user_id: 7 }, user('v', 30, [ofModel('m', 3)])] },
    held: {
      by_user: [user('u', 5, [ofModel('m', 2), ofModel('n', 3)]), user('v', 30, [ofModel('m', 3)])],
    },
  },
  'an entry of by_user[].by_model[]': {
    endpoint: 'tokens',
    before: {
      by_user: [user('u', 5, [ofModel('m', 2), ofModel('n', 3)]), user('v', 3, [ofModel('m', 3)])],
    },
    now: {
      by_user: [
        user('u', 6, [{ ...ofModel('', 2), model_id: null }, ofModel('n', 30)]),
        user('v', 3, [ofModel('n', 3)]),
      ],
    },
    held: { by_user: [user('u', 6, [ofModel('m', 2), ofModel('n', 30)]), user('v', 3, [ofModel('n', 3)])] },
  },
};

/** Records that stay as they are in every answer, so that the slice has more than fits into any bound. */
const crowds: Readonly<Record<string, Fields>> = {
  tokens: { by_user: many(60, (index) => user(`crowd_${index}`, index, [ofModel('m', index)])) },
  tools: {
    by_tool: many(60, (index) => tool(`Crowd ${index}`, index)),
    hooks_by_event: many(60, (index) => hook('Crowd', '', `${index}`, index)),
  },
};

function rowOf(endpoint: string, fields: Fields): Fields {
  const row: Record<string, unknown> = { ...beside[endpoint], ...fields };
  for (const [name, entries] of Object.entries(crowds[endpoint] ?? {}))
    if (Array.isArray(entries)) row[name] = [...entries, ...(Array.isArray(row[name]) ? row[name] : [])];
  return row;
}

describe.each(bounds)('in a slice %s', (_where, environment) => {
  async function expectKept({ endpoint, before, now, held }: Case): Promise<void> {
    await using installation = await install();
    const { pool } = installation.database;
    answer(installation, endpoint, [rowOf(endpoint, before)]);
    expect((await loadDay(installation, endpoint, environment)).code).toBe(0);
    answer(installation, endpoint, [rowOf(endpoint, now)]);
    const { code, summary } = await readAgain(installation, endpoint, environment);
    expect({ code, rejected: summary.rows.rejected }).toEqual({ code: 0, rejected: 1 });
    expect(await storedOf(installation)).toEqual(expectedOf(endpoint, [rowOf(endpoint, held)]));
    expect(await rejectedRows(pool, endpoint)).toHaveLength(1);
    expect(await sliceRow(pool, endpoint, writtenDay)).toMatchObject({ status: 'loaded', last_error: null });

    // The same answer again is no news.
    const again = await readAgain(installation, endpoint, environment);
    expect(again.summary.rows).toMatchObject({ inserted: 0, updated: 0, deleted: 0 });
    expect(await rejectedRows(pool, endpoint)).toHaveLength(1);

    // Once the platform has mended its answer, nothing is kept for the sake of the record any more.
    answer(installation, endpoint, [rowOf(endpoint, {})]);
    expect((await readAgain(installation, endpoint, environment)).code).toBe(0);
    expect(await storedOf(installation)).toEqual(expectedOf(endpoint, [rowOf(endpoint, {})]));
    expect(await rejectedRows(pool, endpoint)).toEqual([]);
  }

  test.each(Object.entries(cases))(
    '%s that cannot be read keeps its row, while others change and vanish',
    (_what, each) => expectKept(each),
  );

  test.each(Object.entries(keyless))(
    '%s whose key cannot be read keeps every row below its parent',
    (_what, each) => expectKept(each),
  );
});
