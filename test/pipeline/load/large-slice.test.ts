import { beforeEach, describe, expect, it } from 'vitest';
import { expectedWarehouse } from '../../support/expected-warehouse.ts';
import { sampleDay, sampleRow } from '../../support/samples.ts';
import { sharedSliceLoading } from '../../support/slice-loading.ts';
import { storedWarehouse } from '../../support/stored-warehouse.ts';

const loading = await sharedSliceLoading();

beforeEach(() => loading.clear());

/** Each record is a chunk of its own. */
const tiny = { chunkBytes: 1 };
const load = (rows: readonly unknown[], changes = {}) => loading.load('users', rows, { ...tiny, changes });

async function storedUsers(): Promise<unknown[]> {
  const rows = await loading.query(
    `select d.user_id, f.sessions, (
       select string_agg(l.language_name, ',' order by l.language_name)
       from warehouse.bridge_user_language_daily as b
       join warehouse.dim_language as l using (language_key)
       where b.user_key = f.user_key and b.usage_date = f.usage_date
     ) as languages
     from warehouse.fact_user_daily as f join warehouse.dim_user as d using (user_key)
     where f.usage_date = $1 order by d.user_id`,
    [sampleDay],
  );
  return rows.map(({ user_id, sessions, languages }) => [user_id, Number(sessions), languages]);
}

const row = (user_id: string, sessions: number | string, ...languages: string[]) =>
  sampleRow('users', { user_id, sessions, languages });

describe('a slice that is written chunk by chunk', () => {
  it('adds up figures of a key that comes in several chunks, exactly', async () => {
    const day = (billable_tokens: number) => ({
      date: sampleDay,
      billable_tokens,
      by_model: [{ model_id: 'm', model_tier: 't', billable_tokens, input_tokens: 2 ** 53 - 1 }],
      by_user: [{ user_id: 'u', user_email: null, billable_tokens, by_model: [] }],
    });
    await loading.load('tokens', [day(0.1), day(0.2), day(7)], tiny);
    expect(
      await loading.query(`select d.billable_tokens as day, m.billable_tokens as model,
          m.input_tokens as input
        from warehouse.fact_token_daily as d join warehouse.fact_token_model_daily as m using (usage_date)`),
    ).toEqual([{ day: '7.3', model: '7.3', input: String(3n * (2n ** 53n - 1n)) }]);
  });

  it('keeps rows for the last word of a user only, where an earlier chunk lacked a breakdown', async () => {
    const lacking = { ...(await row('a', 7)), languages: undefined };
    await load([await row('a', 1, 'Go'), await row('b', 2, 'Go', 'SQL')]);
    await load([lacking, await row('b', 2, 'Go', 'SQL'), await row('a', 9)]);
    expect(await storedUsers()).toEqual([
      ['a', 9, null],
      ['b', 2, 'Go,SQL'],
    ]);
    await load([await row('a', 1, 'Go'), await row('b', 2, 'Go', 'SQL')]);
    await load([await row('a', 9), await row('b', 2, 'Go', 'SQL'), lacking]);
    expect(await storedUsers()).toEqual([
      ['a', 7, 'Go'],
      ['b', 2, 'Go,SQL'],
    ]);
  });
});

it('a record above a mebibyte is there whole, and restated to the row', async () => {
  const entry = (index: number, credits = 0.1) => ({
    user_id: `user ${index}`,
    user_email: `user.${index}@example.com`,
    billable_tokens: credits,
    by_model: [{ model_id: 'm', model_tier: 't', billable_tokens: credits, input_tokens: index }],
  });
  const tokens = await sampleRow('tokens');
  const day = (entries: readonly unknown[]) => ({ ...tokens, by_user: entries });
  const first = day(Array.from({ length: 8_000 }, (_, index) => entry(index)));
  const restated = day([...first.by_user.slice(1), entry(8_000)].with(4_000, entry(4_001, 7)));
  expect(JSON.stringify(first).length).toBeGreaterThan(1024 * 1024);
  for (const said of [first, restated]) {
    await loading.load('tokens', [said]);
    const payload = { endpoint: 'tokens', day: sampleDay, rows: [said] };
    expect(await storedWarehouse(loading.pool)).toEqual(expectedWarehouse('org_test', [payload]));
  }
  const again = await loading.load('tokens', [restated], { changes: { force: true } });
  expect(again).toMatchObject({ result: 'unchanged', inserted: 0, updated: 0, deleted: 0 });
});
