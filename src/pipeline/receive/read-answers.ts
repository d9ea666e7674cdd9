/** All answers of one read, request after request. */
import { crc32 } from 'node:zlib';
import type { RequestOptions } from '../../extract/api-request.ts';
import { ask, type Page } from '../../extract/envelope.ts';
import type { PlatformClient } from '../../extract/platform-client.ts';
import { RequestFailedError, UnexpectedAnswerError } from '../../model/errors.ts';
import type { Request } from '../../model/partitioning.ts';
import type { Read } from '../../model/source.ts';
import { withholdingOf } from '../../model/withheld-texts.ts';
import { meterOf, type ReadBounds } from './read-bounds.ts';

/** Who is asked, and who is meant. */
export interface Asking extends ReadBounds {
  readonly client: PlatformClient;
  /** The organization that answers must be of, where they say. */
  readonly organizationId: string;
  readonly pageSize: number;
  /** Whether texts that not everybody may keep are taken out of what comes. */
  readonly withholdsTexts?: boolean;
}

/** Pages in a row whose records all came before: one may be a hiccup. */
const mostRepeatedPages = 1;
/** Pages in a row without records: whoever filters after paging sends some. */
const mostEmptyPages = 100;

/**
 * Asks for a read until it is whole. Throws `UnexpectedAnswerError` where that would never end: when the partitioning
 * says so, when two pages in a row bring no record that was not there before, after 100 pages in a row without any, or
 * where it brings more than `ReadBounds` allow.
 *
 * An answer that says that it is the last one, and names a cursor, is followed once more. Many platforms repeat their last
 * cursor there; then nothing comes of it: an empty page, the same one again, or a refusal, and each of them is the end.
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
  /** What said that nothing follows, since when nothing new has come. */
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
    // After the last page there is nothing to be judged, and an only record may be large.
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
    // The same page again is no record that came twice.
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

/** Whether the platform looked at a request and does not answer it, now or later. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof RequestFailedError) || error.status === undefined) return false;
  return error.status >= 400 && error.status < 500 && ![408, 425, 429].includes(error.status);
}

/** A page with records after one that was called the last by the field at `path`. */
function contradicting(page: Page, path: string): Page {
  const contradiction = {
    path,
    kind: 'contradiction',
    example: () => 'false, but records followed',
  } as const;
  return { ...page, drift: [...(page.drift ?? []), contradiction] };
}

/**
 * What tells the records of a page from those of others: all of them, since a page with a new record may begin as another
 * did. Undefined when it has none.
 */
function contentOf({ bytes, records }: Page): string | undefined {
  const [first, last] = [records[0], records.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const content = bytes.subarray(first.start, last.end);
  // Two in a row must be taken for known before that means anything: a checksum does, in a tenth of the time of a digest.
  return `${crc32(content)} ${content.length}`;
}

/** Throws `UnexpectedAnswerError` for the answer to another organization. */
export function refuseOtherOrganization(page: Page, organizationId: string): void {
  if (page.organizationId !== undefined && page.organizationId !== organizationId)
    throw new UnexpectedAnswerError(
      `the answer is of organization ${JSON.stringify(page.organizationId)}, the run of ${JSON.stringify(organizationId)}`,
    );
}
