/** Reads all pages of one read, request after request. */
import { crc32 } from 'node:zlib';
import type { RequestOptions } from '../../extract/api-request.ts';
import { ask, type Page } from '../../extract/envelope.ts';
import type { PlatformClient } from '../../extract/platform-client.ts';
import { RequestFailedError, UnexpectedAnswerError } from '../../model/errors.ts';
import type { Request } from '../../model/partitioning.ts';
import type { Read } from '../../model/source.ts';
import { withholdingOf } from '../../model/withheld-texts.ts';
import { meterOf, type ReadBounds } from './read-bounds.ts';

/** The client, and the conditions for its answers. */
export interface Asking extends ReadBounds {
  readonly client: PlatformClient;
  /** The organization of the credential: an answer that names another one is refused. */
  readonly organizationId: string;
  readonly pageSize: number;
  /** Whether texts that people and agents wrote are removed from the answers. */
  readonly withholdsTexts?: boolean;
}

/** Most pages in a row that only repeat known records: one of them may be a temporary fault. */
const mostRepeatedPages = 1;
/** Most pages in a row without records: a platform that filters records after paging sends pages without any. */
const mostEmptyPages = 100;

/**
 * Asks until a read is complete. Throws `UnexpectedAnswerError` if it would never be: if the partitioning says so, if two
 * pages in a row bring no new record, after 100 pages in a row without records, or if a read brings more than `ReadBounds`
 * allow.
 *
 * If an answer says that it is the last but names a cursor, the cursor is requested. Many platforms name one there
 * without more records: an empty page, the same page again, or a refusal then ends the read.
 */
export async function* readAnswers(
  { client, organizationId, pageSize, withholdsTexts = false, ...bounds }: Asking,
  read: Read,
  requestOptions: RequestOptions,
): AsyncGenerator<Page, void, undefined> {
  const { source, slices } = read;
  const { envelope, partitioning } = source;
  const meter = meterOf(read, pageSize, bounds);
  const withhold = withholdsTexts ? withholdingOf(source) : undefined;
  const seen = new Set<string>();
  const contents = new Set<string>();
  let [number, repeated, empty] = [0, 0, 0];
  /** The field of an earlier answer that called it the last; undefined again after a page with new records. */
  let lastPageField: string | undefined;
  let request: Request | undefined = partitioning.first(
    slices.map(({ key }) => key),
    pageSize,
  );
  while (request !== undefined) {
    let page: Page;
    try {
      page = await ask(
        client,
        envelope,
        request,
        {
          ...requestOptions,
          withholdsWords: withhold !== undefined,
          purpose: { endpoint: source.name, slices },
        },
        withhold,
      );
    } catch (error) {
      if (lastPageField !== undefined && isRefusal(error)) return;
      const mayAskLess: boolean = error instanceof RequestFailedError && error.smallerMayWork;
      request = mayAskLess ? partitioning.whenRefused?.(request) : undefined;
      if (request === undefined) throw error;
      continue;
    }
    refuseOtherOrganization(page, organizationId);
    number += 1;
    meter.count({ bytes: page.bytes.length, records: page.records.length });
    // A page without a cursor is the last: it need not be compared with others, and its only record may be large.
    const isJudged = page.cursor !== undefined || lastPageField !== undefined;
    const content = isJudged ? contentOf(page) : undefined;
    const isRepeated = content !== undefined && contents.has(content);
    const isNew = content !== undefined && !isRepeated;
    if (content !== undefined) contents.add(content);
    empty = page.records.length === 0 ? empty + 1 : isNew ? 0 : empty;
    repeated = isRepeated ? repeated + 1 : isNew ? 0 : repeated;
    const wasCalledLastBy = lastPageField;
    const isBeyondEnd = wasCalledLastBy !== undefined && !isNew;
    lastPageField = page.lastPageField ?? (isBeyondEnd ? wasCalledLastBy : undefined);
    // Skips a repeated last page: its records are not duplicates.
    if (!(isBeyondEnd && isRepeated))
      yield wasCalledLastBy !== undefined && isNew ? contradicting(page, wasCalledLastBy) : page;
    if (isBeyondEnd && page.lastPageField !== undefined) return;
    request = partitioning.next({ ...page, lastPageField }, seen);
    if (request === undefined) return;
    if (repeated <= mostRepeatedPages && empty <= mostEmptyPages) {
      await meter.refuseEndless();
      continue;
    }
    if (lastPageField !== undefined) return;
    throw new UnexpectedAnswerError(
      `paging would never end: page ${number} of ${slices[0].key} names a next cursor, but ` +
        (empty > mostEmptyPages
          ? `brought no records, and neither did the ${mostEmptyPages} before it`
          : 'brought nothing new, and so did the one before it'),
    );
  }
}

/** Whether the platform refused a request so that sending it again is useless. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof RequestFailedError) || error.status === undefined) return false;
  return error.status >= 400 && error.status < 500 && ![408, 425, 429].includes(error.status);
}

/** Adds drift to a page with new records: the field at `path` had called an earlier page the last. */
function contradicting(page: Page, path: string): Page {
  const contradiction = {
    path,
    kind: 'contradiction',
    example: () => 'false, but records followed',
  } as const;
  return { ...page, drift: [...(page.drift ?? []), contradiction] };
}

/**
 * A text that identifies the records of a page, with a checksum of all of them, because two pages may begin alike.
 * Undefined for a page without records.
 */
function contentOf({ bytes, records }: Page): string | undefined {
  const [first, last] = [records[0], records.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const content = bytes.subarray(first.start, last.end);
  // A single wrong match does no harm (see `mostRepeatedPages`), so a checksum is enough: a tenth of a digest's time.
  return `${crc32(content)} ${content.length}`;
}

/** Throws `UnexpectedAnswerError` if the answer belongs to another organization. */
export function refuseOtherOrganization(page: Page, organizationId: string): void {
  if (page.organizationId !== undefined && page.organizationId !== organizationId)
    throw new UnexpectedAnswerError(
      `expected an answer of organization ${JSON.stringify(organizationId)}, got one of ${JSON.stringify(page.organizationId)}`,
    );
}
