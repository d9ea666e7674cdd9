/** The body of a request to the simulated platform. */
import type { IncomingMessage } from 'node:http';

/** The largest request is one of a hundred users, far below this. */
const mostBytes = 1_048_576;

/** All bytes of the body, which most requests do not have. Rejects where the connection breaks or there are too many. */
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
