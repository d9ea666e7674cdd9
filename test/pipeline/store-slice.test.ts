import { afterEach, describe, expect, it } from 'vitest';
import { gatherSlice } from '../../src/pipeline/gathered-slice.ts';
import { recordSliceFailure, storeSlice } from '../../src/pipeline/store-slice.ts';
import { type CuttingProxy, startCuttingProxy } from '../support/cutting-proxy.ts';
import { sampleDay, sampleRow, sampleRows, sourceOf } from '../support/samples.ts';
import { pageOf, type SliceLoading, startSliceLoading } from '../support/slice-loading.ts';

let loading: SliceLoading;
let proxy: CuttingProxy | undefined;

afterEach(async () => {
  await loading.close();
  await proxy?.close();
  proxy = undefined;
});

describe('a slice', () => {
  it('is stored once when the connection is lost after the commit, before we hear of it', async () => {
    loading = await startSliceLoading(async (url) => {
      proxy = await startCuttingProxy(url);
      return proxy.url;
    });
    const [ada, bob] = await sampleRows('users');
    proxy?.cutAtNextCommit();
    await loading.load('users', [ada, bob, { ...bob, user_id: 7 }]);
    expect(proxy?.cuts).toBe(1);
    const [state] = await loading.query(`
      select
        (select count(*)::int from warehouse.fact_user_daily) as users,
        (select count(*)::int from warehouse.bridge_user_language_daily) as languages,
        (select count(*)::int from etl.rejected_row) as rejected,
        (select count(*)::int from etl.raw_slice) as chunks,
        (select status from etl.slice) as status`);
    expect(state).toEqual({ users: 2, languages: 2, rejected: 1, chunks: 1, status: 'loaded' });
  });

  it('that failed and is as before again leaves nothing rejected behind', async () => {
    loading = await startSliceLoading();
    const rows = await sampleRows('users');
    await loading.load('users', rows);
    const failing = gatherSlice(sourceOf('users'), sampleDay, { appVersion: 'test', keepRaw: false });
    failing.addPage(pageOf(JSON.stringify([await sampleRow('users', { sessions: 'x' })]), sampleDay));
    await recordSliceFailure(loading.context, failing, 'too many rejected');
    expect(await loading.query('select status, error, rejected_count::int from etl.slice')).toEqual([
      { status: 'failed', error: 'too many rejected', rejected_count: 1 },
    ]);
    expect(await loading.load('users', rows)).toMatchObject({ result: 'unchanged' });
    expect(await loading.query('select status, error, rejected_count::int from etl.slice')).toEqual([
      { status: 'loaded', error: null, rejected_count: 0 },
    ]);
    expect(await loading.query('select from etl.rejected_row')).toEqual([]);
  });

  it('can fail for a reason that holds what Postgres text cannot', async () => {
    loading = await startSliceLoading();
    const gathered = gatherSlice(sourceOf('users'), sampleDay, { appVersion: 'test', keepRaw: false });
    await recordSliceFailure(loading.context, gathered, 'the platform answered 400 (a\0b \ud800)');
    expect(await loading.query('select error from etl.slice')).toEqual([
      { error: 'the platform answered 400 (a\uFFFDb \uFFFD)' },
    ]);
  });

  it('too large to be held at once is stored batch by batch, and the last word on a user counts', async () => {
    loading = await startSliceLoading();
    const [ada, bob] = await sampleRows('users');
    for (const sessions of [5, 6]) {
      const gathered = gatherSlice(sourceOf('users'), sampleDay, { appVersion: 'test', keepRaw: true });
      gathered.addPage(pageOf(JSON.stringify([ada, bob]), sampleDay));
      const more = [[{ ...bob, user_id: 'c' }], [{ ...ada, sessions, languages: ['Go'] }]];
      await storeSlice(loading.context, gathered, undefined, async () => {
        const page = more.shift();
        if (page !== undefined) gathered.addPage(pageOf(JSON.stringify(page), sampleDay));
        return page !== undefined;
      });
      const rows = await loading.query(`select user_id, sessions::int,
          array(select language_name from warehouse.bridge_user_language_daily as b
            join warehouse.dim_language using (language_key) where b.user_key = f.user_key) as languages
        from warehouse.fact_user_daily as f join warehouse.dim_user using (user_key) order by user_id`);
      expect(rows).toEqual([
        { user_id: 'c', sessions: 1, languages: [] },
        { user_id: 'user_ada', sessions, languages: ['Go'] },
        { user_id: 'user_bob', sessions: 1, languages: [] },
      ]);
      await loading.query('truncate etl.raw_slice');
    }
  });
});
