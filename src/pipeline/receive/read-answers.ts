/** All answers of one read, request after request. */
import { crc32 } from 'node:zlib';
import { ask, type Page } from '../../extract/envelope.ts';
import type { Patience, PlatformClient } from '../../extract/platform-client.ts';
import { RequestFailedError, UnexpectedAnswerError } from '../../model/errors.ts';
import type { Request } from '../../model/partitioning.ts';
import type { Read } from '../../model/source.ts';
import { withholdingOf } from '../../model/withheld-texts.ts';

/** Who is asked, and who is meant. */
export interface Asking {
  readonly client: PlatformClient;
  /** The organization that answers must be of, where they say. */
  readonly organizationId: string;
  readonly pageSize: number;
  /** Whether texts that not everybody may keep are taken out of what comes. */
  readonly withholdsTexts?: boolean;
}

/** Pages in a row that bring nothing new: one may be a hiccup. */
const mostIdlePages = 2;

/**
 * Asks for a read until it is whole. Throws `UnexpectedAnswerError` where that would never end: when the partitioning
 * says so, or when two pages in a row bring no record that was not there before.
 */
export async function* readAnswers(
  { client, organizationId, pageSize, withholdsTexts = false }: Asking,
  { source, slices }: Read,
  patience: Patience,
): AsyncGenerator<Page, void, undefined> {
  const { envelope, partitioning } = source;
  const withhold = withholdsTexts ? withholdingOf(source) : undefined;
  const seen = new Set<string>();
  const contents = new Set<string>();
  let [number, idle] = [0, 0];
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
        { ...patience, withholdsWords: withhold !== undefined, purpose: { endpoint: source.name, slices } },
        withhold,
      );
    } catch (error) {
      const mayAskLess: boolean = error instanceof RequestFailedError && error.smallerMayWork;
      request = mayAskLess ? partitioning.whenRefused?.(request) : undefined;
      if (request === undefined) throw error;
      continue;
    }
    refuseOtherOrganization(page, organizationId);
    number += 1;
    request = partitioning.next(page, seen);
    // After the last page there is nothing to be judged, and an only record may be large.
    const content = request === undefined ? undefined : contentOf(page);
    idle = content === undefined || contents.has(content) ? idle + 1 : 0;
    if (content !== undefined) contents.add(content);
    if (request !== undefined && idle >= mostIdlePages)
      throw new UnexpectedAnswerError(
        `paging would never end: page ${number} of ${slices[0].key} says has_more, but brought nothing new, and so did the one before it`,
      );
    yield page;
  }
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
