/** `COPY … FROM STDIN`: the quickest way of rows into a table. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { Session } from './connection.ts';

/** One send to the server; smaller ones cost more calls than they save memory. */
const chunkLength = 64 * 1024;

/**
 * Copies `lines` (each a row in Postgres' text format, without the line end) into a table.
 * `target` is a qualified name with its column list. Rejects with the server's error; nothing is copied then.
 */
export async function copyLines(session: Session, target: string, lines: Iterable<string>): Promise<void> {
  const stream = session.client.query(copyFrom(`copy ${target} from stdin`));
  await pipeline(Readable.from(chunksOf(lines), { objectMode: true, highWaterMark: 2 }), stream);
}

function* chunksOf(lines: Iterable<string>): Generator<Buffer> {
  let chunk: string[] = [];
  let length = 0;
  for (const line of lines) {
    chunk.push(line);
    length += line.length + 1;
    if (length < chunkLength) continue;
    yield Buffer.from(`${chunk.join('\n')}\n`);
    chunk = [];
    length = 0;
  }
  if (chunk.length > 0) yield Buffer.from(`${chunk.join('\n')}\n`);
}
