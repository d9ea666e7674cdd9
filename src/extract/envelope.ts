/** The envelope of every analytics answer, and what it must agree with (platform-api.md §2.5). */
import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import type { DayRange } from '../model/day.ts';
import { RequestFailedError, UnexpectedAnswerError } from '../model/errors.ts';
import { storableText } from '../model/json.ts';
import {
  type Extent,
  endOfValue,
  isArrayAt,
  isObjectAt,
  scanText,
  walkFields,
  walkItems,
} from '../model/json-scan.ts';

const metaSchema = z.object({
  org_id: z.string().min(1),
  start_date: z.string(),
  end_date: z.string(),
  has_more: z.boolean().nullish(),
  next_cursor: z.string().nullish(),
});
type Meta = z.infer<typeof metaSchema>;

/** One answer, cut into records; none of them is parsed. */
export interface Page {
  /** With U+FFFD for what Postgres text cannot hold. */
  readonly organizationId: string;
  /** Cursor of the next page; undefined on the last one. */
  readonly nextCursor: string | undefined;
  /** The answer as it came. */
  readonly bytes: Buffer;
  /** Where its records stand. */
  readonly records: readonly Extent[];
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Opens an answer to a request for `range`. Throws `SyntaxError` when it is not JSON in UTF-8, and
 * `UnexpectedAnswerError` when it is not the documented envelope, names other days than asked for, or says that more
 * follows without saying where. `RequestFailedError` says that fewer days were answered than asked for.
 */
export function openEnvelope(body: Buffer, range: DayRange): Page {
  const bytes = body.subarray(0, 3).equals(byteOrderMark) ? body.subarray(3) : body;
  if (!isUtf8(bytes)) throw new SyntaxError('expected text in UTF-8');
  const { records, metaText } = cut(bytes);
  const meta = parseMeta(metaText, records === undefined);
  if (isWithin(meta, range))
    throw new RequestFailedError(
      `asked for ${range.from} to ${range.to}, but the platform answered for ${meta.start_date} to ${meta.end_date} only`,
      { status: 200, smallerMayWork: true },
    );
  const problem = problemOf(meta, range);
  if (problem !== undefined) throw new UnexpectedAnswerError(problem);
  return {
    organizationId: storableText(meta.org_id),
    nextCursor: meta.has_more === true ? (meta.next_cursor ?? undefined) : undefined,
    bytes,
    records: records ?? [],
  };
}

/** Finds the records and the meta of an envelope, in one walk over its bytes. */
function cut(bytes: Buffer): { records: Extent[] | undefined; metaText: string } {
  let records: Extent[] | undefined;
  let metaText = 'null';
  const onField = (name: string, start: number): number => {
    if (name === 'data' && isArrayAt(bytes, start)) {
      const found: Extent[] = [];
      records = found;
      return walkItems(bytes, start, (itemStart) => {
        const end = endOfValue(bytes, itemStart);
        found.push({ start: itemStart, end });
        return end;
      });
    }
    const end = endOfValue(bytes, start);
    if (name === 'data') records = undefined;
    if (name === 'meta') metaText = bytes.toString('utf8', start, end);
    return end;
  };
  scanText(bytes, (_, start) =>
    isObjectAt(bytes, start) ? walkFields(bytes, start, onField) : endOfValue(bytes, start),
  );
  return { records, metaText };
}

function parseMeta(metaText: string, hasNoRecords: boolean): Meta {
  const { success, data, error } = metaSchema.safeParse(JSON.parse(metaText));
  const issues = error?.issues.map(({ path, message }) => `${['meta', ...path].join('.')}: ${message}`) ?? [];
  if (hasNoRecords) issues.unshift('data: expected an array');
  if (success && issues.length === 0) return data;
  throw new UnexpectedAnswerError(
    `expected the envelope {data, meta} of an analytics answer; ${issues.join('; ')}`,
  );
}

/** Whether the answer is for fewer days than were asked for: the largest span is not documented (platform-api.md §8). */
function isWithin({ start_date: start, end_date: end }: Meta, { from, to }: DayRange): boolean {
  return start >= from && end <= to && start <= end && !(start === from && end === to);
}

/** Says what is wrong with the meta of an answer to a request for `range`; undefined when nothing is. */
function problemOf(meta: Meta, range: DayRange): string | undefined {
  if (meta.start_date !== range.from || meta.end_date !== range.to)
    return `asked for ${range.from} to ${range.to}, but the answer's meta names ${meta.start_date} to ${meta.end_date}`;
  if (meta.has_more === true && (meta.next_cursor ?? '') === '')
    return 'the answer says has_more, but names no next_cursor';
  return undefined;
}
