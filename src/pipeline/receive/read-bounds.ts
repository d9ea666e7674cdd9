/** Bounds what a read may bring, because a faulty platform could send next pages with new records for ever. */
import { UnexpectedAnswerError } from '../../model/errors.ts';
import type { Read, Source } from '../../model/source.ts';

/** Bounds of a read. `read-answers.ts` bounds repeated and empty pages. */
export interface ReadBounds {
  /** Most bytes of all answers of one slice (`MAX_SLICE_BYTES`); undefined: no bound. */
  readonly maxSliceBytes?: number;
  /**
   * The number of records in the organization's largest slice of a source, stored or expected from other figures;
   * undefined if unknown. Called only for unusually long reads.
   */
  readonly largestKnown?: (source: Source) => Promise<number | undefined>;
}

/** Most records of a slice if the size of the largest slice is not known. */
const mostUnknown = 1_000_000;
/** Pages that every slice may have. */
const mostPagesInAnyCase = 1_000;
/** A slice may be so many times as large as the largest known one. */
const mostGrowth = 10;
/** Platforms may send smaller pages than requested, down to this share. */
const leastShareOfPage = 0.1;

/** Counts the pages, records and bytes of a read. */
export interface ReadMeter {
  /** Counts an answer. Throws `UnexpectedAnswerError` if the read has brought too many bytes. */
  count(answer: { readonly bytes: number; readonly records: number }): void;
  /** Call it when an answer names a next page. Throws `UnexpectedAnswerError` if the read has brought too many pages. */
  refuseEndless(): Promise<void>;
}

/** The meter of one read with pages of at most `pageSize` records. The bounds hold per slice. */
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
          `the platform sent ${soFar()} for ${name}, more than MAX_SLICE_BYTES (${maxSliceBytes}) allows for a slice; ` +
            'stored rows stay; if the organization really is that large, raise MAX_SLICE_BYTES',
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
            ? `no size is known for this endpoint, so at most ${mostPages} pages are accepted`
            : `the largest known slice has ${known} records, so at most ${mostPages} pages are accepted`) +
          '; stored rows stay; check whether the platform sends records that do not exist; docs/operations.md says what ' +
          'to do if the organization really is that large',
      );
    },
  };
}
