/** Requests an answer and finds its records and meta data without parsing the records. */
import { isUtf8 } from 'node:buffer';
import { RequestFailedError, UnexpectedAnswerError } from '../model/errors.ts';
import {
  type Extent,
  endOfValue,
  extentAt,
  isArrayAt,
  isObjectAt,
  isTextAt,
  mostLevels,
  scanFields,
  scanText,
  textAt,
  walkFields,
  walkItems,
} from '../model/json-scan.ts';
import type { Answer, AnswerMeta, Request } from '../model/partitioning.ts';
import type { Envelope } from '../model/source.ts';
import type { RequestOptions } from './api-request.ts';
import type { PlatformClient } from './platform-client.ts';

/** An answer with the positions of its records. */
export interface Page extends Answer {
  /** The answer, after `withhold`. */
  readonly bytes: Buffer;
  /** Positions of the records. */
  readonly records: readonly Extent[];
}

/** Removes withheld data from an answer before anything else reads it. */
export type Withhold = (answer: Buffer) => Buffer;

/**
 * Most records of a page. The position of a record takes fifty bytes in memory, and a record may have two bytes; a
 * documented page has at most a hundred records.
 */
const mostRecords = 250_000;
const mostBytesOfMeta = 65_536;

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Sends a request, and opens the answer that `withhold` returns for the body. A body that is not JSON is requested again.
 * Throws what `PlatformClient.get` and `openAnswer` throw.
 */
export function ask(
  client: PlatformClient,
  envelope: Envelope,
  request: Request,
  requestOptions: RequestOptions = {},
  withhold?: Withhold,
): Promise<Page> {
  const open = (body: Buffer) => openAnswer(body, envelope, request, withhold);
  return client.get(request.path, request.query, open, requestOptions);
}

/**
 * Opens an answer to a request. Throws `SyntaxError` when it is not JSON in UTF-8; `UnexpectedAnswerError` when the
 * envelope is wrong, names other days than requested, has a next page that cannot be requested, or is nested too deeply
 * outside of its records; `RequestFailedError` when it has fewer days than requested or too many records.
 */
export function openAnswer(body: Buffer, envelope: Envelope, request: Request, withhold?: Withhold): Page {
  const text = body.subarray(0, 3).equals(byteOrderMark) ? body.subarray(3) : body;
  if (!isUtf8(text)) throw new SyntaxError('expected text in UTF-8');
  const bytes = withhold === undefined ? text : withhold(text);
  const { records, metaText } = cut(bytes, envelope);
  const meta = readMeta(envelope, metaText, records === undefined);
  refuseOtherDays(meta, request);
  const found = records ?? [];
  const texts = (field: string) => found.map((record) => textOfField(bytes, record, field));
  return { ...meta, request, bytes, records: found, texts };
}

/** Finds the records and the meta data in one pass over the bytes. */
function cut(bytes: Buffer, envelope: Envelope): { records: Extent[] | undefined; metaText: string } {
  let records: Extent[] | undefined;
  let metaText = 'null';
  const onField = (name: string, start: number): number => {
    if (name === envelope.records && isArrayAt(bytes, start)) {
      const found: Extent[] = [];
      records = found;
      return walkItems(bytes, start, (itemStart) => {
        if (found.length === mostRecords) throw tooManyRecords();
        const record = extentAt(bytes, itemStart);
        found.push(record);
        return record.end;
      });
    }
    const end = endOfValue(bytes, start, refuseDepth);
    if (name === envelope.records) records = undefined;
    if (name === envelope.meta?.field) {
      if (end - start > mostBytesOfMeta)
        throw new UnexpectedAnswerError(
          `${name}: expected at most ${mostBytesOfMeta} bytes, got ${end - start}`,
        );
      metaText = bytes.toString('utf8', start, end);
    }
    return end;
  };
  scanText(bytes, (_, start) =>
    isObjectAt(bytes, start) ? walkFields(bytes, start, onField) : endOfValue(bytes, start, refuseDepth),
  );
  return { records, metaText };
}

function refuseDepth(): never {
  throw new UnexpectedAnswerError(
    `expected at most ${mostLevels} levels of nesting in an answer, got more, outside of its records`,
  );
}

function tooManyRecords(): RequestFailedError {
  return new RequestFailedError(`the answer has more than ${mostRecords} records`, {
    status: 200,
    smallerMayWork: true,
  });
}

function readMeta({ records, meta }: Envelope, metaText: string, hasNoRecords: boolean): AnswerMeta {
  const parsed = meta?.schema.safeParse(JSON.parse(metaText));
  const issues =
    parsed?.error?.issues.map(({ path, message }) => `${[meta?.field, ...path].join('.')}: ${message}`) ?? [];
  if (hasNoRecords) issues.unshift(`${records}: expected an array`);
  if (issues.length === 0) return parsed?.data ?? {};
  const fields = [records, ...(meta === undefined ? [] : [meta.field])].join(', ');
  throw new UnexpectedAnswerError(`expected the envelope {${fields}}; ${issues.join('; ')}`);
}

/**
 * Throws if the answer names other days than requested. With fewer days than requested a smaller request may succeed:
 * the longest span that the platform allows is not documented (platform-api.md §8).
 */
function refuseOtherDays({ days }: AnswerMeta, { days: asked }: Request): void {
  if (days === undefined || asked === undefined) return;
  const { from, to } = days;
  if (from === asked.from && to === asked.to) return;
  if (from >= asked.from && to <= asked.to && from <= to)
    throw new RequestFailedError(
      `asked for ${asked.from} to ${asked.to}, but the platform answered for ${from} to ${to} only`,
      { status: 200, smallerMayWork: true },
    );
  throw new UnexpectedAnswerError(
    `asked for ${asked.from} to ${asked.to}, but the answer's meta names ${from} to ${to}`,
  );
}

/** A text field of a record; undefined without one. */
export function textOfField(bytes: Buffer, { start, end }: Extent, field: string): string | undefined {
  if (!isObjectAt(bytes, start)) return undefined;
  const textOf = (value: number, valueEnd: number) =>
    isTextAt(bytes, value) ? textAt(bytes, value, valueEnd) : undefined;
  const [first] = scanFields(bytes, start);
  // Most records begin with the field and have it once: then the rest of the record, which may be large, is not walked.
  if (first?.name === field && !bytes.subarray(first.value.end, end).includes(`${field}"`))
    return textOf(first.value.start, first.value.end);
  let text: string | undefined;
  walkFields(bytes, start, (name, valueStart) => {
    const valueEnd = endOfValue(bytes, valueStart);
    if (name === field) text = textOf(valueStart, valueEnd);
    return valueEnd;
  });
  return text;
}
