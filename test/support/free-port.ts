import { once } from 'node:events';
import { createServer } from 'node:net';
import { z } from 'zod';

/** A free port of 127.0.0.1, for programs that cannot report the port that they chose. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  server.close();
  await once(server, 'close');
  return port;
}
