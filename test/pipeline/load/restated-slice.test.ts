import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDays } from '../../src/model/day.ts';
import { TooManyRejectedError } from '../../src/model/errors.ts';
import { sampleDay, sampleRow, sampleRows } from '../support/samples.ts';
import { type SliceLoading, startSliceLoading } from '../support/slice-loading.ts';

let loading: SliceLoading;

beforeAll(async () => {
  loading = await startSliceLoading();
});

afterAll(() => loading.close());

beforeEach(() => loading.clear());

/** Invocations by tool. */
async function tools(): Promise<Record<string, unknown>> {
  const rows = await loading.query(`
    select tool_name, invocations, org_key, usage_date
    from warehouse.fact_tool_usage_daily join warehouse.dim_tool using (tool_key)`);
  return Object.fromEntries(
    rows.map((row) => [row.tool_name, row.invocations === null ? null : Number(row.invocations)]),
  );
}

const byTool = (figures: Record<string, number | null>) =>
  sampleRow('tools', {
    by_tool: Object.entries(figures).map(([tool, invocations]) => ({ tool, invocations })),
  });

describe('loading a slice again', () => {
  it('writes what differs and nothing else', async () => {
    await loading.load('tools', [await byTool({ a: 1, b: 2, c: 0 })]);
    const stored = await loading.load('tools', [await byTool({ a: 1, b: 0, d: 4 })]);
    expect(stored).toMatchObject({ result: 'loaded', inserted: 1, updated: 1, deleted: 1 });
    expect(await tools()).toEqual({ a: 1, b: 0, d: 4 });
  });

  it('leaves loaded_at of equal rows alone and moves that of changed ones', async () => {
    const times = async () =>
      Object.fromEntries(
        (
          await loading.query(`select tool_name, loaded_at::text from warehouse.fact_tool_usage_daily
            join warehouse.dim_tool using (tool_key)`)
        ).map((row) => [row.tool_name, row.loaded_at]),
      );
    await loading.load('tools', [await byTool({ same: 1, other: 2 })]);
    const before = await times();
    await loading.load('tools', [await byTool({ same: 1, other: 3 })]);
    const after = await times();
    expect(after.same).toBe(before.same);
    expect(after.other).not.toBe(before.other);
  });

  it.each([
    [null, 0],
    [0, null],
    [null, 5],
  ])('tells %o from %o', async (first, second) => {
    await loading.load('tools', [await byTool({ a: first })]);
    expect(await loading.load('tools', [await byTool({ a: second })])).toMatchObject({ updated: 1 });
    expect(await tools()).toEqual({ a: second });
  });

  it('sees that null is still null, also where it must look row by row', async () => {
    const rows = [await sampleRow('users', { sessions: null, primary_model: null, delegation_level: null })];
    await loading.load('users', rows);
    const again = await loading.load('users', rows, { changes: { skipUnchanged: false } });
    expect(again).toMatchObject({ result: 'unchanged', inserted: 0, updated: 0, deleted: 0 });
  });

  it('restates attributes to null and back', async () => {
    const model = () =>
      loading.query(`select model_id from warehouse.fact_user_daily
      left join warehouse.dim_model on model_key = primary_model_key`);
    await loading.load('users', [await sampleRow('users')]);
    await loading.load('users', [await sampleRow('users', { primary_model: null })]);
    expect(await model()).toEqual([{ model_id: null }]);
    await loading.load('users', [await sampleRow('users')]);
    expect(await model()).toEqual([{ model_id: 'sonnet-4.5' }]);
  });

  it('touches no other day', async () => {
    const next = addDays(sampleDay, 1);
    await loading.load('tools', [await byTool({ a: 1 })]);
    await loading.load('tools', [{ ...(await byTool({ b: 1 })), date: next }], { day: next });
    await loading.load('tools', [{ ...(await byTool({})), date: next }], { day: next });
    expect(await tools()).toEqual({ a: 1 });
  });

  it('does not trust the ledger when rows have gone from a table', async () => {
    const rows = [await byTool({ a: 1, b: 2 })];
    await loading.load('tools', rows);
    await loading.query(`delete from warehouse.fact_tool_usage_daily where invocations = 2`);
    expect(await loading.load('tools', rows)).toMatchObject({ result: 'loaded', inserted: 1 });
    expect(await tools()).toEqual({ a: 1, b: 2 });
  });
});

describe('a missing breakdown', () => {
  it('leaves the rows that it fed, while an empty one removes them', async () => {
    await loading.load('tools', [await byTool({ a: 1, b: 2 })]);
    const missing = await sampleRow('tools', { by_tool: undefined, tool_calls: 1 });
    expect(await loading.load('tools', [missing])).toMatchObject({ updated: 1, deleted: 0 });
    expect(await tools()).toEqual({ a: 1, b: 2 });
    expect(await loading.load('tools', [await byTool({})])).toMatchObject({ deleted: 2 });
  });

  it('of one user leaves that user’s rows and no others', async () => {
    const users = (entries: Record<string, unknown[] | undefined>) =>
      sampleRow('tokens', {
        by_user: Object.entries(entries).map(([user_id, by_model]) => ({
          user_id,
          user_email: null,
          billable_tokens: 1,
          ...(by_model === undefined ? {} : { by_model }),
        })),
      });
    const model = { model_id: 'm', model_tier: 't', billable_tokens: 1, input_tokens: 1, output_tokens: 1 };
    await loading.load('tokens', [await users({ a: [model], b: [model], c: [model] })]);
    await loading.load('tokens', [await users({ a: undefined, b: [] })]);
    const left = await loading.query(`select user_id from warehouse.fact_token_user_model_daily
      join warehouse.dim_user using (user_key) order by 1`);
    expect(left).toEqual([{ user_id: 'a' }]);
  });

  it('is counted in the ledger of the slice as rows that are there', async () => {
    await loading.load('tools', [await byTool({ a: 1, b: 2 })]);
    await loading.load('tools', [await sampleRow('tools', { by_tool: undefined })]);
    const [slice] = await loading.query('select table_rows, status from etl.slice');
    expect(slice).toMatchObject({
      status: 'loaded',
      table_rows: { fact_tool_usage_daily: 2, fact_tool_daily: 1 },
    });
  });
});

describe('a slice without rows', () => {
  it('is empty, or pending when it is yesterday’s', async () => {
    expect(await loading.load('users', [])).toMatchObject({ result: 'empty' });
    const day = addDays(sampleDay, 11);
    expect(await loading.load('users', [], { day })).toMatchObject({ result: 'pending' });
  });

  it('does not empty a day that has rows, unless that is allowed', async () => {
    await loading.load('users', await sampleRows('users'));
    expect(await loading.load('users', [])).toMatchObject({
      result: 'empty',
      keptDespiteEmpty: true,
      deleted: 0,
    });
    expect(await loading.query(`select kind, path from etl.drift`)).toEqual([
      { kind: 'emptied_slice', path: 'data' },
    ]);
    const emptied = await loading.load('users', [], { changes: { allowEmpty: true } });
    expect(emptied).toMatchObject({ deleted: 4, keptDespiteEmpty: false });
    expect(await loading.query('select status, row_count::int from etl.slice')).toEqual([
      { status: 'empty', row_count: 0 },
    ]);
  });

  it('after rows that were refused leaves none of them in quarantine', async () => {
    await loading.load('users', [await sampleRow('users', { sessions: 'x' })], {
      changes: { maxRejectedShare: 1 },
    });
    await loading.load('users', []);
    expect(await loading.query('select from etl.rejected_row')).toEqual([]);
  });
});

describe('rejected rows', () => {
  it('are kept with their reason, and gone when the next answer has them right', async () => {
    const [ada, bob] = await sampleRows('users');
    const wrong = { ...bob, sessions: 'many', user_id: 'b\u0000b' };
    expect(await loading.load('users', [ada, wrong])).toMatchObject({ rejected: 1, inserted: 3 });
    const quarantine = () => loading.query('select reason, payload from etl.rejected_row');
    expect(await quarantine()).toEqual([
      {
        reason: 'sessions: expected a whole number, zero or more, got "many"',
        payload: { ...bob, sessions: 'many', user_id: 'b\uFFFDb' },
      },
    ]);
    await loading.load('users', [ada, wrong]);
    expect(await quarantine()).toHaveLength(1);
    expect(await loading.load('users', [ada, bob])).toMatchObject({ rejected: 0, inserted: 1 });
    expect(await quarantine()).toEqual([]);
  });

  it('beyond the allowed share fail the slice and change nothing', async () => {
    const [ada] = await sampleRows('users');
    await loading.load('users', [ada]);
    await expect(
      loading.load('users', [{ ...ada, sessions: -1 }], { changes: { maxRejectedShare: 0.2 } }),
    ).rejects.toThrow(TooManyRejectedError);
    expect(await loading.query('select sessions::int from warehouse.fact_user_daily')).toEqual([
      { sessions: 8 },
    ]);
  });

  it('of another day than asked for are refused', async () => {
    const [ada] = await sampleRows('users');
    const stored = await loading.load('users', [ada, { ...ada, user_id: 'x', date: '2026-03-08' }]);
    expect(stored).toMatchObject({ rejected: 1 });
    expect(await loading.query("select path, payload->>'user_id' as id from etl.rejected_row")).toEqual([
      { path: 'date', id: 'x' },
    ]);
  });
});

describe('drift', () => {
  it('is counted over runs, with the newest example', async () => {
    const [ada] = await sampleRows('users');
    await loading.load('users', [{ ...ada, team: 'first' }]);
    await loading.load('users', [{ ...ada, team: 'second', 'odd\u0000name': 1 }]);
    const rows = await loading.query(
      'select path, kind, example, occurrences::int from etl.drift order by path collate "C", kind',
    );
    expect(rows).toEqual([
      { path: '', kind: 'replaced_character', example: 'odd\uFFFDname', occurrences: 1 },
      { path: 'odd\uFFFDname', kind: 'unknown_field', example: '1', occurrences: 1 },
      { path: 'team', kind: 'unknown_field', example: '"second"', occurrences: 2 },
    ]);
  });
});
