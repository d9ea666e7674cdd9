/** Servers that answer as a test says, and clients of theirs; what a test has opened is closed after it. */
import { afterEach } from 'vitest';
import type { PlatformClient } from '../../src/extract/platform-client.ts';
import { type AnsweringServer, type AnswerRequest, startAnsweringServer } from './answering-server.ts';
import { anyJson, openClient } from './platform-access.ts';

const opened: (AnsweringServer | PlatformClient)[] = [];

afterEach(async () => {
  for (const open of opened.splice(0).reverse()) await open.close();
});

export async function serve(answer: AnswerRequest): Promise<AnsweringServer> {
  const server = await startAnsweringServer(answer);
  opened.push(server);
  return server;
}

/** Opens a client of what stands at `url`. */
export function open(
  { url }: Pick<AnsweringServer, 'url'>,
  changes: Parameters<typeof openClient>[1] = {},
): PlatformClient {
  const client = openClient(url, changes);
  opened.push(client);
  return client;
}

/** What a request ended in: the value of the answer, or the error. */
export async function outcome(client: PlatformClient): Promise<unknown> {
  return client.get('/a', {}, anyJson).catch((error: unknown) => error);
}
