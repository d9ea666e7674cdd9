import { describe, expect, it } from 'vitest';
import { messages, reports } from '../../support/made-up-sources.ts';
import { sharedTableLoading, sliceOf } from '../../support/table-loading.ts';

const loading = await sharedTableLoading();

const all = sliceOf('reports', {}, 'all');
const id = '0190f5a0-7c3e-7abc-8def-0123456789ab';

/** The only report of a list, as it is stored. */
async function stored(report: Record<string, unknown>): Promise<Record<string, unknown> | undefined> {
  const { content } = await loading.load(reports, all, [[{ reportId: id, apps: {}, ...report }]]);
  expect(content.rejected.kept).toEqual([]);
  const [row] = await loading.query(`
    select report_id::text, (created_at at time zone 'UTC')::text as created_at, model_id, is_local, day::text,
      calls::text, cost::text, share, offset_hours, is_listed from warehouse.fact_test_report`);
  return row;
}

describe('a row of text, times, ids and figures', () => {
  it('is stored with the type of each, and null where there is none', async () => {
    expect(
      await stored({
        reportId: id.toUpperCase(),
        createdAt: 1_770_000_000_123,
        model: { id: 'sonnet, "4.5"', effort: null },
        isLocal: false,
        day: '2026-03-09',
        calls: 9_007_199_254_740_991,
        cost: 0.1,
        share: 0.25,
        offset: -3,
      }),
    ).toEqual({
      report_id: id,
      created_at: '2026-02-02 02:40:00.123',
      model_id: 'sonnet, "4.5"',
      is_local: false,
      day: '2026-03-09',
      calls: '9007199254740991',
      cost: '0.1',
      share: 0.25,
      offset_hours: -3,
      is_listed: true,
    });
    expect(await stored({ calls: 0, share: null })).toEqual({
      report_id: id,
      created_at: null,
      model_id: null,
      is_local: null,
      day: null,
      calls: '0',
      cost: null,
      share: null,
      offset_hours: null,
      is_listed: true,
    });
  });

  it.each<[string, number, string]>([
    ['seconds', 1_770_000_000, '2026-02-02 02:40:00'],
    ['the last that are seconds', 99_999_999_999, '5138-11-16 09:46:39'],
    ['the first that are milliseconds', 100_000_000_000, '1973-03-03 09:46:40'],
    ['microseconds, as seconds', 1_770_000_000.123456, '2026-02-02 02:40:00.123456'],
    ['microseconds, as milliseconds', 1_770_000_000_123.456, '2026-02-02 02:40:00.123456'],
    ['before 1970', -0.000001, '1969-12-31 23:59:59.999999'],
    ['the epoch', 0, '1970-01-01 00:00:00'],
    ['the year 9999', 253_402_300_799_999, '9999-12-31 23:59:59.999'],
  ])('has the time of %s', async (_, createdAt, expected) => {
    expect(await stored({ createdAt })).toMatchObject({ created_at: expected });
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      'a time of the year 10,000',
      { createdAt: 253_402_300_800_000 },
      'createdAt: expected a time from year 1',
    ],
    ['a time that is text', { createdAt: '2026-03-09' }, 'createdAt: expected a time from year 1'],
    ['an id that is no UUID', { reportId: 'r1' }, 'reportId: expected a UUID, got "r1"'],
    ['a flag that is a number', { isLocal: 1 }, 'isLocal: expected true or false, got 1'],
    ['a day that does not exist', { day: '2026-02-30' }, 'day: expected a day such as 2026-03-09'],
    ['a number beyond an integer', { offset: 2 ** 31 }, 'offset: expected a whole number from -2147483648'],
    ['a text where an object is', { model: 'sonnet' }, 'model: '],
    ['a number in an object', { model: { id: 7 } }, 'model.id: expected text, got 7'],
  ])('is rejected with a sentence for %s', async (_, changes, reason) => {
    const good = { reportId: id, apps: {} };
    const { content } = await loading.load(reports, all, [[{ ...good, ...changes }, good]]);
    expect(content.rejected.kept).toEqual([
      { path: '', reason: expect.stringContaining(reason), payload: JSON.stringify({ ...good, ...changes }) },
    ]);
  });

  it('moves loaded_at only when a value changes, whatever its type', async () => {
    const report = { createdAt: 1_770_000_000.5, model: { id: 'null' }, isLocal: true, offset: 1 };
    const load = (changes: Record<string, unknown>) =>
      loading.load(reports, all, [[{ reportId: id, apps: {}, ...report, ...changes }]]);
    await load({});
    expect(await load({})).toMatchObject({ inserted: 0, updated: 0, deleted: 0 });
    for (const changes of [
      { createdAt: 1_770_000_000.500001 },
      { model: null },
      { isLocal: null },
      { day: '2026-03-09' },
    ])
      expect(await load(changes), JSON.stringify(changes)).toMatchObject({ inserted: 0, updated: 1 });
  });
});

it('values made of others are stored beside those that were read', async () => {
  const slice = sliceOf('messages', { session_id: 'derived' }, 'derived');
  await loading.load(messages, slice, [
    [
      {
        id: 'm',
        role: 'user',
        model: 'sonnet',
        createdAt: 1_770_000_000,
        content: [{ type: 'text', text: 'a😀\0' }, { type: 'image' }, { type: 'text', text: '' }],
      },
    ],
  ]);
  const ofSlice = "where session_id = 'derived' order by 1";
  expect(
    await loading.query(`
      select block_count, char_count, m.model_id, m.model_tier from warehouse.fact_test_message
      join warehouse.dim_model as m using (model_key) ${ofSlice}`),
  ).toEqual([{ block_count: 3, char_count: '3', model_id: 'sonnet', model_tier: 'unknown' }]);
  expect(
    await loading.query(
      `select block_index, block_type, char_count, role from warehouse.fact_test_block ${ofSlice}`,
    ),
  ).toEqual([
    { block_index: 0, block_type: 'text', char_count: 3, role: 'user' },
    { block_index: 1, block_type: 'image', char_count: null, role: 'user' },
    { block_index: 2, block_type: 'text', char_count: 0, role: 'user' },
  ]);
});
