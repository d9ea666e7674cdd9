/** Parses runs of records piece by piece, so that no more than a piece is in memory as objects. */

import { type ParsedJson, parseJson } from '../model/json.ts';
import {
  type Extent,
  endOfValue,
  isArrayAt,
  isObjectAt,
  scanFields,
  scanItems,
  walkFields,
} from '../model/json-scan.ts';
import type { RecordRun } from '../model/record-chunk.ts';

/** Bytes that are parsed at once, unless one value has more. */
const bytesAtOnce = 128 * 1024;
/** A larger record is not parsed as a whole, nor is a larger breakdown in it. */
const largeValue = 1024 * 1024;

/** Records of a run, parsed. */
export interface ParsedRecords {
  readonly records: readonly unknown[];
  /** As `parseJson` says of their text. */
  readonly mayHoldUnstorableCharacters: boolean;
}

/** A breakdown that is too large to be parsed at once. Its entries are parsed when they are asked for. */
export class LargeBreakdown {
  readonly #bytes: Buffer;
  readonly #extent: Extent;

  constructor(bytes: Buffer, extent: Extent) {
    this.#bytes = bytes;
    this.#extent = extent;
  }

  /** Whether it is an array; else it is an object. */
  get isArray(): boolean {
    return isArrayAt(this.#bytes, this.#extent.start);
  }

  /** Its entries, those of an object as `{key, value}`. */
  *entries(): Generator<ParsedRecords> {
    const { start } = this.#extent;
    if (this.isArray) yield* parsePieces(this.#bytes, scanItems(this.#bytes, start), '[', ']');
    else
      for (const piece of parsePieces(this.#bytes, pairsOf(this.#bytes, start), '[{', '}]'))
        yield {
          ...piece,
          records: piece.records.flatMap((pair) =>
            Object.entries(pair ?? {}).map(([key, value]) => ({ key, value })),
          ),
        };
  }

  /** What stands for it where a payload is shown. */
  toJSON(): string {
    return `[left out: ${this.#extent.end - this.#extent.start} bytes]`;
  }
}

/** The records of a run, in their order. Throws `SyntaxError` when it is not JSON. */
export function* parseRecords({ bytes, count }: RecordRun): Generator<ParsedRecords> {
  if (bytes.length <= bytesAtOnce) yield parseTogether(bytes, [{ start: 0, end: bytes.length }], '[', ']');
  else if (count === 1) yield parseLarge(bytes);
  else yield* parsePieces(bytes, recordsOf(bytes), '[', ']', parseLarge);
}

function* parsePieces(
  bytes: Buffer,
  extents: Iterable<Extent>,
  open: string,
  close: string,
  parseAlone?: (value: Buffer) => ParsedRecords,
): Generator<ParsedRecords> {
  let piece: Extent[] = [];
  let length = 0;
  for (const extent of extents) {
    const size = extent.end - extent.start;
    if (piece.length > 0 && length + size > bytesAtOnce) {
      yield parseTogether(bytes, piece, open, close);
      piece = [];
      length = 0;
    }
    if (size > largeValue && parseAlone !== undefined)
      yield parseAlone(bytes.subarray(extent.start, extent.end));
    else {
      piece.push(extent);
      length += size;
    }
  }
  if (piece.length > 0) yield parseTogether(bytes, piece, open, close);
}

function parseTogether(
  bytes: Buffer,
  extents: readonly Extent[],
  open: string,
  close: string,
): ParsedRecords {
  const between = `${close.slice(0, -1)},${open.slice(1)}`;
  const texts =
    isOneRun(extents) && between === ','
      ? [bytes.toString('utf8', extents[0]?.start, extents.at(-1)?.end)]
      : extents.map(({ start, end }) => bytes.toString('utf8', start, end));
  const { value, mayHoldUnstorableCharacters } = parseJson(`${open}${texts.join(between)}${close}`);
  return { records: Array.isArray(value) ? value : [], mayHoldUnstorableCharacters };
}

function isOneRun(extents: readonly Extent[]): boolean {
  return extents.every(({ end }, index) => (extents[index + 1]?.start ?? end + 1) === end + 1);
}

/** Parses a large record without its large breakdowns. */
function parseLarge(bytes: Buffer): ParsedRecords {
  if (!isObjectAt(bytes, 0)) return parseTogether(bytes, [{ start: 0, end: bytes.length }], '[', ']');
  const record: [string, unknown][] = [];
  let mayHoldUnstorableCharacters = false;
  for (const [name, extent] of scanFields(bytes, 0)) {
    const { start, end } = extent;
    const isLarge = end - start > largeValue && (isArrayAt(bytes, start) || isObjectAt(bytes, start));
    const parsed: ParsedJson = isLarge
      ? { value: new LargeBreakdown(bytes, extent), mayHoldUnstorableCharacters: false }
      : parseJson(bytes.toString('utf8', start, end));
    mayHoldUnstorableCharacters ||= parsed.mayHoldUnstorableCharacters || !/^[ -~]*$/.test(name);
    record.push([name, parsed.value]);
  }
  return { records: [Object.fromEntries(record)], mayHoldUnstorableCharacters };
}

/** Where the records of a run stand. */
function* recordsOf(bytes: Buffer): Generator<Extent> {
  for (let start = 0; start < bytes.length; ) {
    const end = endOfValue(bytes, start);
    yield { start, end };
    start = end + 1;
  }
}

/** Where the names and values of an object stand, each name with its value. */
function pairsOf(bytes: Buffer, start: number): Extent[] {
  const pairs: Extent[] = [];
  let pairStart = start + 1;
  walkFields(bytes, start, (_, valueStart) => {
    const end = endOfValue(bytes, valueStart);
    while (bytes[pairStart] !== 0x22) pairStart += 1;
    pairs.push({ start: pairStart, end });
    pairStart = end;
    return end;
  });
  return pairs;
}
