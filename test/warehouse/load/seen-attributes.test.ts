import { beforeEach, describe, expect, it } from 'vitest';
import { addDays, type Day } from '../../../src/model/day.ts';
import { computers } from '../../support/made-up-sources.ts';
import { sampleDay } from '../../support/samples.ts';
import { sharedTableLoading, sliceOf } from '../../support/table-loading.ts';

const loading = await sharedTableLoading();

beforeEach(async () => {
  await loading.query('delete from warehouse.fact_test_computer');
  await loading.query('delete from warehouse.dim_test_computer');
});

function load(day: Day, ...records: Record<string, unknown>[]) {
  return loading.load(computers, sliceOf('computers', { snapshot_date: day }, day, day), [records]);
}

async function computer(id: string) {
  const [row] = await loading.query(
    `select computer_name, (created_at at time zone 'UTC')::text as created_at, kind, seen_date::text
    from warehouse.dim_test_computer where computer_id = $1`,
    [id],
  );
  return row;
}

const [first, second, third] = [sampleDay, addDays(sampleDay, 1), addDays(sampleDay, 2)];
const full = { id: 'c', name: 'build, "1"', createdAt: 1_770_000_000, source: { kind: 'template' } };
const fullRow = { computer_name: 'build, "1"', created_at: '2026-02-02 02:40:00', kind: 'template' };

describe('attributes as last seen', () => {
  it('are those of the newest day, null included, whatever is loaded first', async () => {
    await load(second, full);
    await load(first, { id: 'c', name: 'old' });
    expect(await computer('c')).toEqual({ ...fullRow, seen_date: second });
    await load(third, { id: 'c', name: null, source: null });
    expect(await computer('c')).toEqual({
      computer_name: null,
      created_at: null,
      kind: null,
      seen_date: third,
    });
    await load(second, { ...full, name: 'restated' });
    expect(await computer('c')).toMatchObject({ computer_name: null, seen_date: third });
  });

  it('are those of the second reading of the same day', async () => {
    await load(first, full);
    await load(first, { id: 'c', name: 'renamed', source: {} });
    expect(await computer('c')).toEqual({
      computer_name: 'renamed',
      created_at: null,
      kind: null,
      seen_date: first,
    });
    await load(first, full);
    expect(await computer('c')).toEqual({ ...fullRow, seen_date: first });
  });

  it('are those of the record that comes last', async () => {
    await load(first, full, { id: 'c' });
    expect(await computer('c')).toMatchObject({ computer_name: null, kind: null, seen_date: first });
  });
});
