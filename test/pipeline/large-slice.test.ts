import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { day } from '../../src/model/day.ts';
import type { StoredSlice } from '../../src/model/run.ts';
import { gatherSlice } from '../../src/pipeline/gathered-slice.ts';
import { storeSlice } from '../../src/pipeline/store-slice.ts';
import { withSession } from '../../src/warehouse/connection/connection.ts';
import { ledgerKey, readLedger } from '../../src/warehouse/ledger/slice-ledger.ts';
import { sampleRow, sourceOf } from '../support/samples.ts';
import { pageOf, type SliceLoading, startSliceLoading } from '../support/slice-loading.ts';

const users = sourceOf('users');
const usageDate = day('2026-03-09');

describe('a slice that is stored while it is read', () => {
  let loading: SliceLoading;
  beforeAll(async () => {
    loading = await startSliceLoading();
  });
  afterAll(async () => loading.close());

  /** Stores pages one by one, as if each filled what may be held. */
  async function store(pages: readonly (readonly unknown[])[], failAfter?: number): Promise<StoredSlice> {
    const { context, pool } = loading;
    const gathered = gatherSlice(users, usageDate, { appVersion: 'test', keepRaw: true });
    const rest = [...pages];
    let read = 0;
    const gatherNext = () => {
      if (read === failAfter) throw new Error('the platform went away');
      read += 1;
      gathered.addPage(pageOf(JSON.stringify(rest.shift() ?? []), usageDate));
      return rest.length > 0;
    };
    gatherNext();
    const ledger = await withSession(pool, ({ db }) => readLedger(db, context.orgKey));
    return storeSlice(context, gathered, ledger.get(ledgerKey('users', usageDate)), async () => gatherNext());
  }

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
      [usageDate],
    );
    return rows.map(({ user_id, sessions, languages }) => [user_id, Number(sessions), languages]);
  }

  const row = (user_id: string, sessions: number, ...languages: string[]) =>
    sampleRow('users', { user_id, sessions, languages, date: usageDate });

  it('is there whole, the last page included', async () => {
    const pages = [[await row('a', 1, 'Go')], [await row('b', 2, 'Go', 'SQL')], [await row('c', 3)]];
    expect(await store(pages)).toMatchObject({ result: 'loaded', inserted: 6 });
    expect(await storedUsers()).toEqual([
      ['a', 1, 'Go'],
      ['b', 2, 'Go,SQL'],
      ['c', 3, null],
    ]);
    const [entry] = await loading.query('select row_count, table_rows from etl.slice');
    expect(entry).toEqual({
      row_count: '3',
      table_rows: { fact_user_daily: 3, bridge_user_language_daily: 3 },
    });
    expect(await loading.query('select sum(row_count)::integer as kept from etl.raw_slice')).toEqual([
      { kept: 3 },
    ]);
  });

  it('read again writes nothing, and restated writes what differs', async () => {
    const pages = [[await row('a', 1, 'Go')], [await row('b', 2, 'Go', 'SQL')], [await row('c', 3)]];
    expect(await store(pages)).toMatchObject({ result: 'unchanged', inserted: 0, updated: 0, deleted: 0 });
    const restated = [[await row('a', 7, 'Go')], [await row('b', 2, 'Go')], [await row('d', 4)]];
    expect(await store(restated)).toMatchObject({ inserted: 1, updated: 1, deleted: 2 });
    expect(await storedUsers()).toEqual([
      ['a', 7, 'Go'],
      ['b', 2, 'Go'],
      ['d', 4, null],
    ]);
  });

  it('holds of a user who comes again on a later page what came last, and says so', async () => {
    const pages = [[await row('a', 1, 'Go')], [await row('b', 2)], [await row('a', 9, 'SQL')]];
    await store(pages);
    expect(await storedUsers()).toEqual([
      ['a', 9, 'SQL'],
      ['b', 2, null],
    ]);
    await loading.clear();
    await store(pages);
    expect(await storedUsers()).toEqual([
      ['a', 9, 'SQL'],
      ['b', 2, null],
    ]);
    const drift = await loading.query(
      "select occurrences::integer from etl.drift where kind = 'duplicate_key'",
    );
    expect(drift).toEqual([{ occurrences: 1 }]);
  });

  it('leaves nothing behind when a page fails', async () => {
    await loading.clear();
    await expect(store([[await row('a', 1)], [await row('b', 2)], [await row('c', 3)]], 2)).rejects.toThrow(
      'went away',
    );
    expect(await storedUsers()).toEqual([]);
    expect(await loading.query('select from etl.raw_slice')).toEqual([]);
  });
});
