/** `COPY … FROM STDIN`: the fastest way to insert rows. */
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { noName, type PackedRows } from '../../flatten/packed-rows.ts';
import { copyText } from '../../flatten/row-text.ts';
import type { Session } from '../connection/connection.ts';

/** Bytes of one write to the server. Smaller writes save little memory and cost more calls. */
const chunkSize = 64 * 1024;
/** Bytes that a comma and a surrogate key or null take at most. */
const mostBytesOfKey = 12;
const [comma, lineEnd, zero] = [0x2c, 0x0a, 0x30];
/** Null in a copied line: written as in JSON, because most values come from JSON. */
const nothing = Buffer.from('null');

/**
 * Copies lines of `linesOf` into a table. `target` is the qualified name of the table with a list of columns. Rejects with
 * the server's error, or with what `chunks` throws; then nothing is copied.
 */
export async function copyRows(session: Session, target: string, chunks: Iterable<Buffer>): Promise<void> {
  const stream = session.client.query(copyFrom(`copy ${target} from stdin (delimiter ',', null 'null')`));
  // Without this, the stream would still write to the connection after an error, when others use the connection.
  stream.once('error', (error) => stream.destroy(error));
  const copied = finished(stream);
  // `copied` is awaited below. Until then, a rejection must not count as unhandled.
  copied.catch(() => undefined);
  try {
    for (const chunk of chunks) if (!stream.write(chunk)) await Promise.race([once(stream, 'drain'), copied]);
    stream.end();
  } catch (error) {
    // This also ends the `COPY` on the server, which would wait for more rows.
    stream.destroy(error instanceof Error ? error : new Error('rows could not be written', { cause: error }));
  }
  await copied;
}

/**
 * Rows as lines of `COPY`'s text format, in buffers of many lines. A line is `prefix` (the columns that all rows share),
 * the named columns, and the values. `surrogates` has for each named column the surrogate keys of its names; undefined
 * for a column that stores the names themselves.
 */
export function* linesOf(
  rows: PackedRows,
  prefix: string,
  surrogates: readonly (Int32Array | undefined)[],
): Generator<Buffer> {
  const width = surrogates.length;
  const texts = surrogates.map((keys, position) =>
    keys === undefined ? rows.names[position]?.map((name) => Buffer.from(copyText(name))) : undefined,
  );
  const textColumns = texts.flatMap((names, position) => (names === undefined ? [] : [{ names, position }]));
  const beginning = Buffer.from(prefix);
  const room = beginning.length + width * mostBytesOfKey + 2;
  // Most tables have few rows a day and need less than `chunkSize`.
  const size = Math.min(chunkSize, rows.length * room + rows.values.length);
  let chunk = Buffer.allocUnsafeSlow(size);
  let end = 0;
  for (let row = 0; row < rows.length; row++) {
    const valuesStart = rows.starts[row] ?? 0;
    const valuesEnd = rows.ends[row] ?? 0;
    let needed = room + valuesEnd - valuesStart;
    if (textColumns.length > 0)
      for (const { names, position } of textColumns)
        needed += names[rows.keys[row * width + position] ?? noName]?.length ?? 0;
    if (end + needed > chunk.length) {
      if (end > 0) yield chunk.subarray(0, end);
      chunk = Buffer.allocUnsafeSlow(Math.max(size, needed));
      end = 0;
    }
    end += beginning.copy(chunk, end);
    for (let position = 0; position < width; position++) {
      chunk[end++] = comma;
      const name = rows.keys[row * width + position] ?? noName;
      if (name === noName) end += nothing.copy(chunk, end);
      else {
        const keys = surrogates[position];
        if (keys === undefined) end += texts[position]?.[name]?.copy(chunk, end) ?? 0;
        else end = writeKey(chunk, end, keys[name] ?? 0);
      }
    }
    // Copy the values without the brackets or line ends around them. Nothing between two line ends is one empty text.
    if (valuesEnd - valuesStart > 2 || rows.values[valuesStart] === lineEnd) {
      chunk[end++] = comma;
      end += rows.values.copy(chunk, end, valuesStart + 1, valuesEnd - 1);
    }
    chunk[end++] = lineEnd;
  }
  if (end > 0) yield chunk.subarray(0, end);
}

/** Writes a whole number, zero or more, in digits; returns where it ends. */
function writeKey(bytes: Buffer, start: number, key: number): number {
  let digits = 1;
  for (let rest = key; rest >= 10; rest = Math.floor(rest / 10)) digits += 1;
  let rest = key;
  for (let position = start + digits - 1; position >= start; position--) {
    bytes[position] = zero + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return start + digits;
}
