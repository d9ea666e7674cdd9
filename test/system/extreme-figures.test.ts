import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answer, type Fields, loadDay, many, storedOf, writtenDay } from '../support/answered-days.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { writtenAs } from '../support/exact-json.ts';
import { type Installation, install } from '../support/installation.ts';
import { driftRows, rejectedRows, sliceRow } from '../support/ledger-rows.ts';
import { tinyBounds } from '../support/tiny-bounds.ts';

const largestBigint = '9223372036854775807';
const levels = 3_500;

let installation: Installation;
beforeEach(async () => {
  installation = await install({
    users: 40,
    fault: () => ({
      kind: 'rewrite',
      // What no program can write in this way; and a space, so that records can come in chunks of their own.
      rewrite: (body) =>
        Buffer.from(
          body
            .toString()
            .replaceAll('"nested"', '['.repeat(levels) + ']'.repeat(levels))
            .replaceAll('{"date"', ' {"date"'),
        ),
    }),
  });
});
afterEach(() => installation[Symbol.asyncDispose]());

/** What was rejected of the day: where it stood, and why. */
async function rejected(endpoint: string) {
  const rows = await rejectedRows(installation.database.pool, endpoint);
  return rows.map(({ path, reason, payload }) => ({ path, reason, payload }));
}

/** Loads a day of `/tools` with these fields, and returns the calls of each tool. */
async function loadTools(fields: Fields, code = 0): Promise<Readonly<Record<string, unknown>>> {
  answer(installation, 'tools', [{ tool_calls: 3, ...fields }]);
  expect((await loadDay(installation, 'tools')).code).toBe(code);
  const { rows } = await installation.database.pool.query<{ tool_name: string; invocations: string }>(
    'select tool_name, invocations from warehouse.fact_tool_usage_daily join warehouse.dim_tool using (tool_key)',
  );
  return Object.fromEntries(rows.map(({ tool_name, invocations }) => [tool_name, invocations]));
}

test('an entry whose sum with an earlier one is more than a bigint is rejected, and the rest is loaded', async () => {
  const again = { tool: 'Read', invocations: 1 };
  const entries = [
    { tool: 'Read', invocations: writtenAs(largestBigint) },
    again,
    { tool: 'Edit', invocations: 1 },
    { tool: 'Edit', invocations: writtenAs('9223372036854775806') },
  ];
  expect(await loadTools({ by_tool: entries })).toEqual({ Read: largestBigint, Edit: largestBigint });
  expect(await rejected('tools')).toEqual([
    {
      path: 'by_tool[]',
      reason: expect.stringContaining(
        'expected a sum with the earlier entry of the same identity up to 9223372036854775807',
      ),
      payload: again,
    },
  ]);
  expect(await sliceRow(installation.database.pool, 'tools', writtenDay)).toMatchObject({
    status: 'loaded',
    rejected_count: 1,
  });
});

test('a record of the day whose sum with an earlier one is too large is rejected with all that is in it', async () => {
  answer(installation, 'tools', [
    { tool_calls: writtenAs(largestBigint), by_tool: [{ tool: 'Read', invocations: 1 }] },
    { tool_calls: 1, by_tool: [{ tool: 'Edit', invocations: 1 }] },
  ]);
  expect((await loadDay(installation, 'tools')).code).toBe(0);
  expect(await rejected('tools')).toMatchObject([{ path: '', payload: { tool_calls: 1 } }]);
  expect((await storedOf(installation)).fact_tool_daily).toHaveLength(1);
});

test('records in different parts of large answers that add up to too much fail their slice with a sentence', async () => {
  const crowd = many(100, (index) => ({ tool: `tool ${index}`, invocations: 1 }));
  const largest = { tool: 'Read', invocations: writtenAs(largestBigint) };
  answer(installation, 'tools', [
    { tool_calls: 1, by_tool: [...crowd, largest] },
    { tool_calls: 1, by_tool: [...crowd, largest] },
  ]);
  expect((await loadDay(installation, 'tools', tinyBounds)).code).toBe(1);
  expect((await sliceRow(installation.database.pool, 'tools', writtenDay))?.error).toContain(
    'add up to more than a column of fact_tool_usage_daily holds',
  );
});

test('a number beyond a double is rejected for what it is, and the rest is loaded', async () => {
  const entries = [
    { tool: 'Read', invocations: writtenAs('1e400') },
    { tool: 'Edit', invocations: 2 },
  ];
  expect(await loadTools({ by_tool: entries })).toEqual({ Edit: '2' });
  expect(await rejected('tools')).toEqual([
    {
      path: 'by_tool[]',
      reason: 'invocations: expected a whole number, zero or more, got a number beyond the range of a double',
      payload: { tool: 'Read', invocations: 'Infinity' },
    },
  ]);
});

test.each([
  ['9007199254740992.0', '9007199254740992'],
  ['9007199254740993.000', '9007199254740993'],
  ['9.007199254740993e15', '9007199254740993'],
  ['90071992547409930e-1', '9007199254740993'],
  ['9223372036854775807.0', largestBigint],
])('%s is the whole number that it is', async (written, stored) => {
  const entries = [{ tool: 'Edit', invocations: writtenAs(written) }];
  expect(await loadTools({ by_tool: entries, tool_calls: writtenAs(written) })).toEqual({ Edit: stored });
  const { rows } = await installation.database.pool.query('select tool_calls from warehouse.fact_tool_daily');
  expect(rows).toEqual([{ tool_calls: stored }]);
});

test.each([
  '9223372036854775808.0',
  '9.2233720368547758070001e18',
  '1.00000000000000001e19',
  '1.0000000000000000e99',
])('%s is no whole number that a bigint holds: it is rejected, and the rest is loaded', async (written) => {
  const entries = [
    { tool: 'Read', invocations: writtenAs(written) },
    { tool: 'Edit', invocations: 2 },
  ];
  expect(await loadTools({ by_tool: entries })).toEqual({ Edit: '2' });
  expect(await rejected('tools')).toMatchObject([
    { path: 'by_tool[]', reason: expect.stringMatching(/^invocations: expected a whole number/) },
  ]);
});

describe('a value that is nested 3,500 levels deep', () => {
  const edit = { tool: 'Edit', invocations: 2 };
  // Each of these makes a difference to how the answer is parsed.
  const companions: [string, Fields, string][] = [
    ['alone', {}, 'Edit'],
    ['beside a NUL', { tool: 'Edit\0' }, 'Edit\uFFFD'],
    ['beside a long number', { invocations: writtenAs('9007199254740993') }, 'Edit'],
  ];

  test.each(companions)('%s is left out where no table wants it', async (_, companion, tool) => {
    expect(Object.keys(await loadTools({ odd: 'nested', by_tool: [{ ...edit, ...companion }] }))).toEqual([
      tool,
    ]);
    expect(await driftRows(installation.database.pool, 'tools', 'unknown_field')).toMatchObject([
      { path: 'odd' },
    ]);
  });

  test.each(companions)(
    '%s is rejected where a table wants it, and the rest is loaded',
    async (_, companion, tool) => {
      const entries = [{ tool: 'Read', invocations: 'nested' }, 'nested', { ...edit, ...companion }];
      expect(Object.keys(await loadTools({ by_tool: entries }))).toEqual([tool]);
      const found = await rejected('tools');
      expect(found.map(({ path }) => path)).toEqual(['by_tool[]', 'by_tool[]']);
      for (const { reason, payload } of found) {
        expect(reason).toMatch(/^(invocations: )?expected /);
        expect(JSON.stringify(payload)).toContain('nested more than 64 levels deep');
      }
    },
  );

  test('takes no other record of its answer with it', async () => {
    const rows = installation.dataset.rows('users', writtenDay);
    const [first = {}, ...others] = rows.map((row) => ({ ...Object(row) }));
    answer(installation, 'users', [
      { ...first, sessions: 'nested', tool_calls: writtenAs('9007199254740993'), user_id: 'a\0b' },
      ...others,
    ]);
    expect((await loadDay(installation, 'users')).code).toBe(0);
    expect(await rejected('users')).toMatchObject([{ path: '', payload: { user_id: 'a\uFFFDb' } }]);
    expect(await sliceRow(installation.database.pool, 'users', writtenDay)).toMatchObject({
      row_count: rows.length - 1,
    });
  });
});

test('an organization whose id holds a NUL is stored with U+FFFD for it, and found again', async () => {
  await using other = await install({ users: 5, organizationId: 'org\0odd' });
  const backfill = 'backfill --from 2026-01-14 --to 2026-01-15';
  expect((await loadInProcess(other, backfill)).code).toBe(0);
  const { rows } = await other.database.pool.query('select org_id from warehouse.dim_org');
  expect(rows).toEqual([{ org_id: 'org\uFFFDodd' }]);
  const again = await loadInProcess(other, backfill);
  expect(again).toMatchObject({ code: 0, summary: { slices: { planned: 0 } } });
  expect((await other.run('verify --from 2026-01-14 --to 2026-01-15')).code).toBe(0);
});
