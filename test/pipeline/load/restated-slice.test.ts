import { beforeEach, describe, expect, it } from 'vitest';
import { sampleRow } from '../../support/samples.ts';
import { sharedSliceLoading } from '../../support/slice-loading.ts';

const loading = await sharedSliceLoading();

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

  it('does not trust the ledger when rows have gone from a table', async () => {
    const rows = [await byTool({ a: 1, b: 2 })];
    await loading.load('tools', rows);
    await loading.query(`delete from warehouse.fact_tool_usage_daily where invocations = 2`);
    expect(await loading.load('tools', rows)).toMatchObject({ result: 'loaded', inserted: 1 });
    expect(await tools()).toEqual({ a: 1, b: 2 });
  });
});

describe('a missing breakdown', () => {
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
