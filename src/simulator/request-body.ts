/** The body of a request to the simulated platform. */
import type { IncomingMessage } from 'node:http';

/** Most bytes of a body: far more than the largest valid request, with a hundred users, has. */
const mostBytes = 1_048_576;

/** Reads the whole body; most requests have none. Rejects when the connection breaks or the body is too large. */
export async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
  if (length === undefined && encoding === undefined) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new RangeError(`expected a body of at most ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
