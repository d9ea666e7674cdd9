/**
 * Three made-up sources, from the plan to the tables: the snapshot of today, a list whose records are flagged when they
 * vanish, and the messages of sessions with two levels of tables below.
 */
import { expect, test } from 'vitest';
import {
  archiveRows,
  expectNothingOrphaned,
  factRows,
  rejectedRows,
  sliceRow,
  sliceStatuses,
} from '../support/ledger-rows.ts';
import {
  computer,
  idOf,
  message,
  review,
  runDay,
  session,
  setUpMadeUpSources,
  sibling,
} from '../support/made-up-installation.ts';

const installation = setUpMadeUpSources();

const listed = () =>
  installation().rows(`
    select right(review_id::text, 1), is_listed, string_agg(file_path, ' ' order by file_path)
    from warehouse.fact_review left join warehouse.fact_review_file using (org_key, review_id) group by 1, 2 order by 1`);

test('all of them are asked for in their own way, and held with all their tables', async () => {
  const { database, load, platform, rows } = installation();
  const { summary } = await load();
  expect(summary).toMatchObject({ status: 'succeeded', slices: { planned: 4, loaded: 4, failed: 0 } });
  expect([...platform.asked].sort()).toEqual([
    '/api/v1/computers',
    '/api/v1/reviews?limit=100',
    `/api/v1/reviews?limit=100&after_id=${idOf(3)}`,
    `/api/v1/reviews?limit=100&after_id=${idOf(4)}`,
    `/api/v1/sessions/${session}/messages?limit=100`,
    `/api/v1/sessions/${session}/messages?limit=100&cursor=3`,
    `/api/v1/sessions/${sibling}/messages?limit=100`,
  ]);
  expect(await sliceStatuses(database.pool)).toEqual({
    [`computers ${runDay}`]: 'loaded',
    'reviews all': 'loaded',
    [`messages ${session}`]: 'loaded',
    [`messages ${sibling}`]: 'loaded',
  });
  const held = await factRows(database.pool);
  const counts = Object.entries(held).flatMap(([table, { length }]) => (length > 0 ? [[table, length]] : []));
  expect(Object.fromEntries(counts)).toEqual({
    bridge_test_tag: 10,
    fact_review: 4,
    fact_review_file: 8,
    fact_test_block: 5,
    fact_test_computer: 2,
    fact_test_message: 5,
    fact_test_result: 10,
  });
  expect(
    await rows(`select session_id, role, note, thread_id::text, (created_at at time zone 'UTC')::text, is_error
      from warehouse.fact_test_message where message_id = 'm1' order by 1`),
  ).toEqual([
    [session, 'user', 'tab\there, \\ and null', idOf(7), '2026-03-08 20:00:00.123', false],
    [sibling, 'assistant', 'tab\there, \\ and null', idOf(7), '2026-03-08 20:00:00.123', false],
  ]);
  expect(
    await rows(`select result_index, command, timeout, exit_code, is_quiet
      from warehouse.fact_test_result where session_id = '${sibling}' order by 1`),
  ).toEqual([
    [0, 'ls', 1.5, 0, true],
    [1, 'cd', null, null, null],
  ]);
  expect(await rows('select distinct snapshot_date::text from warehouse.fact_test_computer')).toEqual([
    [runDay],
  ]);
  await expectNothingOrphaned(database.pool);
});

test('read again, they are recognized, and nothing of them moves', async () => {
  const { database, load } = installation();
  await load();
  const before = await factRows(database.pool);
  const archived = await archiveRows(database.pool, 'reviews', 'all');
  const { summary } = await load();
  expect(summary).toMatchObject({
    slices: { planned: 4, unchanged: 4 },
    rows: { inserted: 0, updated: 0, deleted: 0 },
  });
  expect(await factRows(database.pool)).toEqual(before);
  expect(await archiveRows(database.pool, 'reviews', 'all')).toEqual(archived);
});

test('in another order they are the same content', async () => {
  const { database, load, platform } = installation();
  await load();
  const before = await factRows(database.pool);
  platform.computers = [...platform.computers].reverse();
  platform.reviews = [...platform.reviews].reverse();
  platform.messages.set(session, [...(platform.messages.get(session) ?? [])].reverse());
  expect((await load()).summary.slices).toMatchObject({ unchanged: 4 });
  expect(await factRows(database.pool)).toEqual(before);
});

test('what is restated is written, and only that', async () => {
  const { database, load, platform, rows } = installation();
  await load();
  const before = await factRows(database.pool);
  platform.messages.set(session, [
    message('m1', { content: [{ type: 'text', text: 'longer text', tags: ['x'] }] }),
    message('m2', {
      commands: [{ command: 'ls', timeout: 1.5 }],
      results: [{ exitCode: 0, isQuiet: false }],
    }),
    message('m3'),
    message('m4', { isError: true, thread: null }),
  ]);
  const { summary } = await load();
  // A message's text changes its length in two tables; a tag and a result are gone, a result and a message changed.
  expect(summary).toMatchObject({
    slices: { loaded: 1, unchanged: 3 },
    rows: { inserted: 0, updated: 4, deleted: 2 },
  });
  const after = await factRows(database.pool);
  expect(after.fact_review).toEqual(before.fact_review);
  expect(
    await rows(`select message_id, thread_id, is_error from warehouse.fact_test_message where is_error`),
  ).toEqual([['m4', null, true]]);
});

test('of a record that cannot be read all rows are kept', async () => {
  const { database, load, platform, rows } = installation();
  await load();
  const before = await factRows(database.pool);
  platform.reviews = [
    review(1, 'a.ts', 'b.ts'),
    { ...review(2), comments: -1 },
    review(3, 'a.ts', 'b.ts'),
    review(4),
  ];
  platform.messages.set(sibling, []);
  platform.messages.set(session, [
    message('m1'),
    message('m2', { createdAt: 'never' }),
    message('m3'),
    message('m4'),
  ]);
  const environment = { MAX_REJECTED_SHARE: '0.5' };
  const { summary } = await load({ environment });
  expect(summary).toMatchObject({ status: 'succeeded', rows: { rejected: 2 } });
  const after = await factRows(database.pool);
  expect(after.fact_review).toEqual(before.fact_review);
  expect(await listed()).toEqual([
    ['1', true, 'a.ts b.ts'],
    ['2', true, 'a.ts b.ts'],
    ['3', true, 'a.ts b.ts'],
    ['4', true, null],
  ]);
  expect(await rows(`select session_id, count(*)::int from warehouse.fact_test_message group by 1`)).toEqual([
    [session, 4],
  ]);
  expect(await rejectedRows(database.pool, 'messages')).toMatchObject([
    { slice_key: session, usage_date: '2026-03-09' },
  ]);
  expect(await rejectedRows(database.pool, 'reviews')).toMatchObject([
    { slice_key: 'all', usage_date: null },
  ]);
  await load({ environment, force: true });
  expect(await rejectedRows(database.pool, 'reviews')).toHaveLength(1);
});

test('what vanished is deleted, or flagged until it comes back', async () => {
  const { load, platform, rows } = installation();
  await load();
  const all = platform.reviews;
  platform.reviews = all.filter((_, index) => index !== 1);
  platform.messages.set(session, [message('m1')]);
  platform.computers = [computer('c2')];
  expect((await load()).summary.rows).toMatchObject({ inserted: 0, updated: 1, deleted: 1 + 3 * 6 });
  expect(await listed()).toEqual([
    ['1', true, 'a.ts b.ts'],
    ['2', false, 'a.ts b.ts'],
    ['3', true, 'a.ts b.ts'],
    ['4', true, 'a.ts b.ts'],
  ]);
  expect((await load()).summary.slices).toMatchObject({ unchanged: 4 });
  platform.reviews = all;
  expect((await load()).summary.rows).toMatchObject({ inserted: 0, updated: 1, deleted: 0 });
  expect(await rows('select count(*)::int from warehouse.fact_review where not is_listed')).toEqual([[0]]);
});

test.each([
  ['fails', 500],
  ['refuses', 404],
])('nothing vanishes by a reading in which the platform %s', async (_, status) => {
  const { database, load, platform } = installation();
  await load();
  const before = await factRows(database.pool);
  platform.reviews = platform.reviews.map((each) => ({ ...each, title: 'other' }));
  platform.messages.set(
    session,
    [1, 2, 3, 4, 5].map((number) => message(`n${number}`)),
  );
  platform.fault = (path) => (/after_id|cursor|computers/.test(path) ? status : undefined);
  const { summary } = await load();
  expect(summary).toMatchObject({ status: 'partial', slices: { failed: 3, unchanged: 1 } });
  expect(await factRows(database.pool)).toEqual(before);
  expect(await sliceRow(database.pool, 'reviews', 'all')).toMatchObject({
    status: 'loaded',
    last_error: expect.stringContaining(String(status)),
  });
  platform.fault = () => undefined;
  expect((await load()).summary).toMatchObject({ status: 'succeeded', slices: { loaded: 2, unchanged: 2 } });
});

test('a list that repeats itself is refused instead of read for ever', async () => {
  const { database, load, platform } = installation();
  await load();
  const before = await factRows(database.pool);
  platform.reviews = [...platform.reviews.slice(0, 3), ...platform.reviews.slice(0, 3)];
  const { summary, failures } = await load();
  expect(summary.slices.failed).toBe(1);
  expect(failures[0]?.reason).toContain('paging would never end');
  expect(await factRows(database.pool)).toEqual(before);
});

test('slices of one day are told apart, and one of them can be emptied', async () => {
  const { load, platform, rows } = installation();
  await load();
  platform.messages.set(sibling, []);
  await load();
  expect(
    await rows(
      "select slice_key, usage_date::text, status, row_count::int from etl.slice where endpoint = 'messages' order by 1",
    ),
  ).toEqual([
    [session, '2026-03-09', 'loaded', 4],
    [sibling, '2026-03-09', 'empty', 0],
  ]);
  expect(await rows('select distinct session_id from warehouse.fact_test_message')).toEqual([[session]]);
});

test('an answer without records is believed at once, and says nothing new a second time', async () => {
  const { database, load, platform } = installation();
  platform.computers = [];
  platform.reviews = [];
  platform.messages.set(sibling, []);
  expect((await load()).summary.slices).toMatchObject({ loaded: 1, empty: 3, pending: 0 });
  expect((await load()).summary.slices).toMatchObject({ unchanged: 1, empty: 3 });
  expect(await sliceRow(database.pool, 'reviews', 'all')).toMatchObject({ status: 'empty', loaded_at: null });
});
