import { describe, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { generatedDataset, OverridableDataset, userIdOf } from '../../src/simulator/dataset.ts';
import { createGenerator } from '../../src/simulator/generate.ts';
import { usersPage } from '../../src/simulator/users-page.ts';
import { type AnalyticsRow, between, envelopeOf, startPlatform } from './platform.ts';

type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** All pages of a query, as a client reads them that follows the cursor. */
async function readPages(platform: Platform, query: string) {
  const pages: AnalyticsRow[][] = [];
  let cursor: string | undefined;
  do {
    const target = `users?${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`;
    const { data, meta } = await envelopeOf(await platform.get(target));
    expect(meta.has_more).toBe('next_cursor' in meta);
    pages.push(data);
    cursor = meta.next_cursor;
  } while (cursor !== undefined);
  return pages;
}

describe('pages of /users', () => {
  test.each([1, 7, 100])('pages of %i rows together are the whole day', async (limit) => {
    await using platform = await startPlatform();
    const pages = await readPages(platform, `${between('2026-03-04', '2026-03-04')}&limit=${limit}`);
    expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    expect(pages.flat()).toEqual(platform.dataset.rows('users', day('2026-03-04')));
  });

  test('a page has 20 rows unless another limit is asked for', async () => {
    await using platform = await startPlatform();
    const [first] = await readPages(platform, between('2026-03-04', '2026-03-04'));
    expect(first).toHaveLength(20);
  });

  test('a last page that is full says that there is no more', async () => {
    await using platform = await startPlatform();
    const rows = platform.dataset.rows('users', day('2026-03-04')).slice(0, 20);
    platform.dataset.overrideRows('users', day('2026-03-04'), rows);
    expect(await readPages(platform, between('2026-03-04', '2026-03-04'))).toEqual([rows]);
  });

  test('over a range of days, a page border inside the days of a user loses rows', async () => {
    await using platform = await startPlatform();
    const rows = (date: string, ...users: string[]) =>
      platform.dataset.overrideRows(
        'users',
        day(date),
        users.map((user_id) => ({ user_id, date })),
      );
    rows('2026-03-03', 'user_a', 'user_b', 'user_c');
    rows('2026-03-04', 'user_b', 'user_c');
    const pages = await readPages(platform, `${between('2026-03-03', '2026-03-04')}&limit=2`);
    expect(pages.flat().map((row) => `${row.user_id} ${row.date}`)).toEqual([
      'user_a 2026-03-03',
      'user_b 2026-03-03',
      // The row of user_b on 2026-03-04 is on no page.
      'user_c 2026-03-03',
      'user_c 2026-03-04',
    ]);
  });

  test('a range of generated days is sorted by user and then day', () => {
    const days = [day('2026-03-03'), day('2026-03-04')];
    const dataset = new OverridableDataset();
    dataset.overrideRows('users', day('2026-03-03'), [{ user_id: 'b' }, { user_id: 'a', first: true }]);
    dataset.overrideRows('users', day('2026-03-04'), [{ user_id: 'a' }]);
    expect(usersPage(dataset, days, undefined, 10)).toEqual({
      rows: [{ user_id: 'a', first: true }, { user_id: 'a' }, { user_id: 'b' }],
      nextCursor: undefined,
    });
  });

  test('a page of a million users is made without the rest of the day', () => {
    const generator = createGenerator({ seed: 2, users: 1_000_000, from: day('2026-01-14') });
    const generated = generatedDataset(generator);
    let made = 0;
    function* usersAfter(...asked: Parameters<typeof generated.usersAfter>) {
      for (const row of generated.usersAfter(...asked)) {
        made++;
        yield row;
      }
    }
    const page = usersPage({ ...generated, usersAfter }, [day('2026-03-04')], 'user_000500000', 100);
    expect(page.rows).toHaveLength(100);
    expect(page.rows.every((row) => userIdOf(row) > 'user_000500000')).toBe(true);
    // One more tells whether there is a next page.
    expect(made).toBe(101);
  });
});
