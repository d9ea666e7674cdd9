/** Made-up sources under conditions in which they must end in the same rows. */
import { expect, test } from 'vitest';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { expectNothingOrphaned } from '../support/ledger-rows.ts';
import { computer, message, review, session, setUpMadeUpSources } from '../support/made-up-installation.ts';
import { tinyBounds } from '../support/tiny-bounds.ts';

const installation = setUpMadeUpSources();

test('slices above every bound end in the same rows', async () => {
  const { content, database, emptyFacts, load, platform, rows } = installation();
  platform.reviews = Array.from({ length: 60 }, (_, index) => review(index, 'a.ts', 'b.ts'));
  platform.computers = Array.from({ length: 60 }, (_, index) => computer(`c${index}`));
  platform.messages.set(
    session,
    Array.from({ length: 60 }, (_, index) => message(`m${index}`)),
  );
  await load();
  const within = await content();
  await emptyFacts();
  await database.pool.query('delete from etl.slice');
  const { summary } = await load({ environment: tinyBounds });
  expect(summary).toMatchObject({ status: 'succeeded', slices: { loaded: 4 } });
  expect(await rows("select count(*) > 3 from etl.raw_slice where endpoint = 'reviews'")).toEqual([[true]]);
  expect(await content()).toEqual(within);
  platform.reviews = platform.reviews
    .map((each, index) => (index === 5 ? { ...each, title: null } : each))
    .slice(0, 59);
  const again = await load({ environment: tinyBounds });
  expect(again.summary).toMatchObject({
    slices: { loaded: 1, unchanged: 3 },
    rows: { updated: 2, deleted: 0 },
  });
});

test('a connection that is lost at a commit doubles nothing and loses nothing', async () => {
  const { database, load, platform, rows } = installation();
  const proxy = await startCuttingProxy(database.url);
  try {
    for (let commit = 1; commit <= 6; commit++) {
      platform.computers = [computer('c1', `named ${commit}`), computer(`c${commit}`)];
      platform.reviews = [1, 2, 3, 4 + commit].map((number) => review(number, `${commit}.ts`));
      platform.messages.set(session, [message('m1'), message(`m${commit}`, { role: `r${commit}` })]);
      proxy.cutAtCommit(commit);
      const { summary } = await load({ databaseUrl: proxy.url });
      expect(summary).toMatchObject({ slices: { failed: 0 } });
    }
    expect(proxy.cuts).toBeGreaterThanOrEqual(3);
  } finally {
    await proxy.close();
  }
  expect(
    await rows('select is_listed, count(*)::int from warehouse.fact_review group by 1 order by 1'),
  ).toEqual([
    [false, 5],
    [true, 4],
  ]);
  expect(
    await rows("select count(*)::int from warehouse.fact_test_message where session_id = '2026-03-09-a'"),
  ).toEqual([[2]]);
  expect((await load()).summary.slices).toMatchObject({ unchanged: 4 });
  await expectNothingOrphaned(database.pool);
});
