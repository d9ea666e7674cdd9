import { once } from 'node:events';
import { createServer } from 'node:net';
import { z } from 'zod';

/** A port of 127.0.0.1 that nobody has, for programs that cannot say which one they took. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  server.close();
  await once(server, 'close');
  return port;
}
