/** Servers that answer as a test decides, and clients for them. Both are closed after the test. */
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

/** Opens a client for the server. */
export function open(
  { url }: Pick<AnsweringServer, 'url'>,
  changes: Parameters<typeof openClient>[1] = {},
): PlatformClient {
  const client = openClient(url, changes);
  opened.push(client);
  return client;
}

/** Sends a request; resolves to the parsed answer, or to the error. */
export async function outcome(client: PlatformClient): Promise<unknown> {
  return client.get('/a', {}, anyJson).catch((error: unknown) => error);
}
