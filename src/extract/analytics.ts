/** Reading the analytics endpoints: a window of days at once, or one day page by page (platform-api.md §4.2). */
import { hash } from 'node:crypto';
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
 * Throws `UnexpectedAnswerError` where it would never end: when a cursor comes back a second time, or when two pages
 * in a row bring no record that was not there before.
 */
export async function* readPages(
  client: PlatformClient,
  path: string,
  day: Day,
  pageSize: number,
  options: Patience = {},
): AsyncGenerator<Page, void, undefined> {
  const cursors = new Set<string>();
  const contents = new Set<string>();
  let [number, idle] = [0, 0];
  let cursor: string | undefined;
  do {
    const query = { limit: String(pageSize), ...(cursor === undefined ? {} : { cursor }) };
    const page = await readPage(client, path, { from: day, to: day }, options, query);
    number += 1;
    cursor = page.nextCursor;
    const content = contentOf(page);
    idle = content === undefined || contents.has(content) ? idle + 1 : 0;
    if (content !== undefined) contents.add(content);
    if (cursor !== undefined && (idle >= mostIdlePages || cursors.has(cursor)))
      throw new UnexpectedAnswerError(
        `paging would never end: page ${number} of ${day} says has_more, but ${
          cursors.has(cursor)
            ? `names the cursor ${JSON.stringify(cursor)} a second time`
            : `brought nothing new, and so did the one before it`
        }`,
      );
    yield page;
    if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined);
}

/** Pages in a row that bring nothing new: one may be a hiccup. */
const mostIdlePages = 2;

/** What tells the records of a page from those of others: the first of them; undefined when it has none. */
function contentOf({ bytes, records: [first] }: Page): string | undefined {
  return first && hash('sha256', bytes.subarray(first.start, first.end), 'base64');
}
