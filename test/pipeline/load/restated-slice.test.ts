import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDays } from '../../../src/model/day.ts';
import { sampleDay, sampleRow } from '../../support/samples.ts';
import { type SliceLoading, startSliceLoading } from '../../support/slice-loading.ts';

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
    const again = await loading.load('users', rows, { changes: { force: true } });
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

  it('compares every row, and mends one that somebody altered', async () => {
    const rows = [await byTool({ a: 1, b: 2 })];
    await loading.load('tools', rows);
    await loading.query('update warehouse.fact_tool_usage_daily set invocations = 7 where invocations = 2');
    expect(await loading.load('tools', rows)).toMatchObject({
      result: 'loaded',
      inserted: 0,
      updated: 1,
      deleted: 0,
    });
    expect(await tools()).toEqual({ a: 1, b: 2 });
  });

  it('is refused where most of its rows would vanish, and leaves everything as it was', async () => {
    const figures = (count: number) =>
      byTool(Object.fromEntries(Array.from({ length: count }, (_, index) => [`tool ${index}`, 1])));
    const changes = { maxDeletedShare: 0.5 };
    const state = () =>
      loading.query(`select (select jsonb_agg(to_jsonb(f) order by tool_key) from warehouse.fact_tool_usage_daily as f)
        as facts, (select jsonb_agg(encode(payload, 'hex')) from etl.raw_slice) as archive, status, table_rows,
        encode(source_hash, 'hex') as source_hash from etl.slice`);
    await loading.load('tools', [await figures(41)], { changes });
    const before = await state();
    const why = 'the answer would delete 21 of the 41 rows of fact_tool_usage_daily';
    expect(await loading.load('tools', [await figures(20)], { changes })).toMatchObject({
      result: 'refused',
      deleted: 0,
      refused: {
        reason: expect.stringContaining(why),
        tables: [{ table: 'fact_tool_usage_daily', held: 41, wouldHold: 20 }],
      },
    });
    expect(await state()).toEqual(before);
    expect(
      await loading.query('select last_error, error, last_failed_at is not null as at from etl.slice'),
    ).toEqual([{ last_error: expect.stringContaining(why), error: null, at: true }]);
    expect(await loading.query('select kind, path, example from etl.drift')).toEqual([
      { kind: 'shrunk', path: 'data', example: sampleDay },
    ]);
    const allowed = { changes: { ...changes, force: true, allowEmpty: true } };
    expect(await loading.load('tools', [await figures(20)], allowed)).toMatchObject({ deleted: 21 });
    expect(await loading.query('select last_error, last_failed_at from etl.slice')).toEqual([
      { last_error: null, last_failed_at: null },
    ]);
  });

  it('may lose less than twenty rows, or less than the share', async () => {
    const changes = { maxDeletedShare: 0.5 };
    const figures = (count: number) =>
      byTool(Object.fromEntries(Array.from({ length: count }, (_, index) => [`tool ${index}`, 1])));
    await loading.load('tools', [await figures(60)], { changes });
    expect(await loading.load('tools', [await figures(30)], { changes })).toMatchObject({ deleted: 30 });
    await loading.load('tools', [await figures(19)], { changes });
    expect(await loading.load('tools', [await figures(0)], { changes })).toMatchObject({ deleted: 19 });
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
