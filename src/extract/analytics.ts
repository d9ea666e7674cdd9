/** Reading the analytics endpoints: a window of days at once, or one day page by page (platform-api.md §4.2). */
import type { Day, DayRange } from '../model/day.ts';
import { UnexpectedAnswerError } from '../model/errors.ts';
import { openEnvelope, type Page } from './envelope.ts';
import type { Patience, PlatformClient } from './platform-client.ts';

const analyticsPath = '/api/v1/analytics';

/**
 * Asks for all days of `range` in one request. Throws `UnexpectedAnswerError` when the answer says that more
 * follows: an endpoint that is read in windows has no pages (platform-api.md §2.5), and rows must not be lost unnoticed.
 */
export async function readWindow(
  client: PlatformClient,
  path: string,
  range: DayRange,
  options: Patience = {},
  query: Readonly<Record<string, string>> = {},
): Promise<Page> {
  const page = await readPage(client, path, range, options, query);
  if (page.nextCursor !== undefined)
    throw new UnexpectedAnswerError(`expected all rows of ${path} in one answer, but it says has_more`);
  return page;
}

async function readPage(
  client: PlatformClient,
  path: string,
  range: DayRange,
  options: Patience,
  query: Readonly<Record<string, string>>,
): Promise<Page> {
  const address = `${analyticsPath}${path}`;
  const days = { startDate: range.from, endDate: range.to, ...query };
  return client.get(address, days, (body) => openEnvelope(body, range), options);
}

/**
 * The pages of one day. Never of a range: the cursor is a user id while the rows are user × day, so a page that
 * ends within a user's days would lose the rest of them (platform-api.md §4.2).
 * Throws `UnexpectedAnswerError` when a cursor comes back a second time, which would never end.
 */
export async function* readPages(
  client: PlatformClient,
  path: string,
  day: Day,
  pageSize: number,
  options: Patience = {},
): AsyncGenerator<Page, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const query = { limit: String(pageSize), ...(cursor === undefined ? {} : { cursor }) };
    const page = await readPage(client, path, { from: day, to: day }, options, query);
    yield page;
    cursor = page.nextCursor;
    if (cursor !== undefined && seen.has(cursor))
      throw new UnexpectedAnswerError(
        `the cursor ${JSON.stringify(cursor)} came a second time; paging would never end`,
      );
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
}
