/** How much a read may bring: an answer can always name a next page, with records that nobody has seen. */
import { UnexpectedAnswerError } from '../../model/errors.ts';
import type { Read, Source } from '../../model/source.ts';

/** What bounds reads beside the pages that repeat themselves or are empty. */
export interface ReadBounds {
  /** Bytes of all answers that one slice may take (`MAX_SLICE_BYTES`); undefined: any number. */
  readonly maxSliceBytes?: number;
  /**
   * Records of the largest slice of a source that the warehouse knows of in this organization, or should have, by other
   * figures; undefined where nothing is known. Asked for reads only that are unusually long.
   */
  readonly largestKnown?: (source: Source) => Promise<number | undefined>;
}

/** Records that a slice may have where nothing is known. */
const mostUnknown = 1_000_000;
/** Pages that a slice may have in any case. */
const mostPagesInAnyCase = 1_000;
/** A slice may be so many times as large as the largest one known. */
const mostGrowth = 10;
/** A page may have fewer records than were asked for, down to this share. */
const leastShareOfPage = 0.1;

/** Counts what a read brings. */
export interface ReadMeter {
  /** Counts an answer. Throws `UnexpectedAnswerError` where the read has brought more bytes than it may. */
  count(answer: { readonly bytes: number; readonly records: number }): void;
  /** Throws `UnexpectedAnswerError` where it has brought as many pages as it may, and more follow. */
  refuseEndless(): Promise<void>;
}

/** A meter of one read, in pages of at most `pageSize` records. Each slice of it may bring as much as one alone. */
export function meterOf({ source, slices }: Read, pageSize: number, bounds: ReadBounds): ReadMeter {
  const { maxSliceBytes = Number.POSITIVE_INFINITY, largestKnown } = bounds;
  const name = `${source.name} ${slices[0].key}`;
  let [pages, records, bytes, fullestPage] = [0, 0, 0, 0];
  let known: number | undefined;
  let mostPages = slices.length * mostPagesInAnyCase;
  let isAsked = false;

  const soFar = () => `${pages} pages with ${records} records in ${bytes} bytes`;

  return {
    count(answer) {
      pages += 1;
      records += answer.records;
      bytes += answer.bytes;
      fullestPage = Math.max(fullestPage, answer.records);
      if (bytes > slices.length * maxSliceBytes)
        throw new UnexpectedAnswerError(
          `the platform sent ${soFar()} for ${name}, more than MAX_SLICE_BYTES (${maxSliceBytes}) lets a slice have; what ` +
            'is stored stays; where the organization really is that large, raise MAX_SLICE_BYTES',
        );
    },
    async refuseEndless() {
      if (pages < mostPages) return;
      if (!isAsked) known = await largestKnown?.(source);
      isAsked = true;
      const onPage = Math.max(leastShareOfPage * pageSize, Math.min(pageSize, fullestPage));
      const needed = known === undefined ? mostUnknown / pageSize : (mostGrowth * known) / onPage;
      mostPages = Math.max(mostPages, slices.length * Math.ceil(needed));
      if (pages < mostPages) return;
      throw new UnexpectedAnswerError(
        `paging would never end: the platform sent ${soFar()} for ${name}, and names a next page; ` +
          (known === undefined
            ? `nothing is known of this endpoint, and no more than ${mostPages} pages are believed`
            : `the largest known has ${known} records, and no more than ${mostPages} pages are believed`) +
          '; what is stored stays; look whether the platform sends records that do not exist; docs/operations.md tells what ' +
          'to do where the organization really is that large',
      );
    },
  };
}
