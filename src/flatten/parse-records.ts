/** Parses segments of records piece by piece: only one piece is in memory as objects. */

import { parseJson } from '../model/json.ts';
import { type Extent, isObjectAt, scanFields, scanItems } from '../model/json-scan.ts';
import { mostBytesOfSegment, type RecordSegment } from '../model/record-chunk.ts';
import { hasParts, UnparsedValue } from '../model/unparsed-value.ts';

/** Bytes above which a record or breakdown entry is not parsed as a whole. Of its fields at most so much is parsed. */
const largeValue = 1024 * 1024;
const closeBracket = 0x5d;
/** A large value with more fields is not parsed at all. */
const mostFields = 10_000;

/** Parsed records. */
export interface ParsedRecords {
  readonly records: readonly unknown[];
  /** Whether a string may hold a character that Postgres text cannot: NUL or an unpaired surrogate. */
  readonly mayHoldUnstorableCharacters: boolean;
}

/** An unparsed array or object of a large record. If it is a breakdown, its entries are parsed when they are read. */
export class LargePart extends UnparsedValue {
  /** The items of the array, or the fields of the object as `{key, value}`. */
  *entries(): Generator<ParsedRecords> {
    const { bytes } = this;
    const { start } = this.extent;
    if (this.isArray) yield* parsePieces(bytes, scanItems(bytes, start), '[', ']');
    else
      for (const piece of parsePieces(bytes, pairsOf(bytes, start), '[{', '}]'))
        yield {
          ...piece,
          records: piece.records.flatMap((pair) =>
            Object.entries(pair ?? {}).map(([key, value]) => ({ key, value })),
          ),
        };
  }
}

/** An item of an array or a field of an object. It is parsed with its neighbours or alone. */
type Part = Extent & { readonly name?: string; readonly value?: Extent };

/** The records of a segment, in order. Throws `SyntaxError` when it is not JSON. */
export function* parseRecords({ bytes, count, isTooDeep = false }: RecordSegment): Generator<ParsedRecords> {
  const all = { start: 0, end: bytes.length, isTooDeep };
  if (count === 1) yield* parsePieces(bytes, [all], '[', ']');
  else yield parseTogether(bytes, [all], '[', ']');
}

function* parsePieces(
  bytes: Buffer,
  parts: Iterable<Part>,
  open: string,
  close: string,
): Generator<ParsedRecords> {
  let piece: Part[] = [];
  let length = 0;
  for (const part of parts) {
    const size = part.end - part.start;
    const isApart = size > largeValue || part.isTooDeep === true;
    if (piece.length > 0 && (isApart || length + size > mostBytesOfSegment)) {
      yield parseTogether(bytes, piece, open, close);
      piece = [];
      length = 0;
    }
    if (isApart) yield parseApart(bytes, part);
    else {
      piece.push(part);
      length += size;
    }
  }
  if (piece.length > 0) yield parseTogether(bytes, piece, open, close);
}

function parseTogether(bytes: Buffer, parts: readonly Part[], open: string, close: string): ParsedRecords {
  const between = `${close.slice(0, -1)},${open.slice(1)}`;
  const text =
    areContiguous(parts) && between === ','
      ? listOf(bytes, parts[0]?.start ?? 0, parts.at(-1)?.end ?? 0)
      : open + parts.map(({ start, end }) => bytes.toString('utf8', start, end)).join(between) + close;
  const { value, mayHoldUnstorableCharacters } = parseJson(text);
  return { records: Array.isArray(value) ? value : [], mayHoldUnstorableCharacters };
}

/** A buffer for a list of records, reused for each list. */
const listRoom = Buffer.from(`[${' '.repeat(mostBytesOfSegment)}]`);

/** Bytes as the text of a list. The brackets are added to the bytes: adding them to the text would copy the text. */
function listOf(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length > mostBytesOfSegment) return `[${bytes.toString('utf8', start, end)}]`;
  bytes.copy(listRoom, 1, start, end);
  listRoom[length + 1] = closeBracket;
  return listRoom.toString('utf8', 0, length + 2);
}

function areContiguous(parts: readonly Part[]): boolean {
  return parts.every(({ end }, index) => (parts[index + 1]?.start ?? end + 1) === end + 1);
}

/** Parses a value that is large or nested too deeply. Those of its fields that are too large or too deep stay unparsed. */
function parseApart(bytes: Buffer, part: Part): ParsedRecords {
  if (part.value === undefined && !hasParts(bytes, part)) return parseTogether(bytes, [part], '[', ']');
  if (part.value === undefined && !isObjectAt(bytes, part.start)) return left(bytes, part);
  const fields = part.value === undefined ? fieldsOf(bytes, part) : [[part.name ?? '', part.value] as const];
  if (fields.length > mostFields) return left(bytes, part, `with more than ${mostFields} fields`);
  let room = largeValue;
  const parsed = fields.map(([name, value]) => {
    const size = hasParts(bytes, value) ? value.end - value.start : 0;
    if (value.isTooDeep === true || size > room) return [name, left(bytes, value)] as const;
    room -= size;
    return [name, parseTogether(bytes, [value], '[', ']')] as const;
  });
  return {
    records: [Object.fromEntries(parsed.map(([name, { records }]) => [name, records[0]]))],
    mayHoldUnstorableCharacters: parsed.some(
      ([name, { mayHoldUnstorableCharacters: may }]) => may || !/^[ -~]*$/.test(name),
    ),
  };
}

/** The fields of an object, at most one more than `mostFields`. */
function fieldsOf(bytes: Buffer, { start }: Extent): (readonly [string, Extent])[] {
  const fields: [string, Extent][] = [];
  for (const { name, value } of scanFields(bytes, start)) {
    fields.push([name, value]);
    if (fields.length > mostFields) break;
  }
  return fields;
}

/** A value that stays unparsed; `why` is the reason in words. */
function left(bytes: Buffer, extent: Extent, why?: string): ParsedRecords {
  return { records: [new LargePart(bytes, extent, why)], mayHoldUnstorableCharacters: false };
}

/** The positions of an object's names, each with its value. */
function* pairsOf(bytes: Buffer, objectStart: number): Generator<Part> {
  for (const { name, start, value } of scanFields(bytes, objectStart))
    yield { name, value, start, end: value.end, isTooDeep: value.isTooDeep === true };
}
