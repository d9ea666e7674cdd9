/** A plain HTTP server on loopback. A test decides its answers; the server records the requests. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';

/** One request as it arrived. */
export interface Arrival {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Milliseconds on the monotonic clock. */
  readonly at: number;
}

/** A running server. */
export interface AnsweringServer {
  readonly url: URL;
  readonly arrivals: readonly Arrival[];
  close(): Promise<void>;
}

/** Answers one request; `number` is 1 for the first. */
export type AnswerRequest = (response: ServerResponse, number: number, request: IncomingMessage) => void;

/** Starts a server on a free port. */
export async function startAnsweringServer(answer: AnswerRequest): Promise<AnsweringServer> {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    arrivals.push({ url: request.url ?? '', headers: request.headers, at: performance.now() });
    answer(response, arrivals.length, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return {
    url: new URL(`http://127.0.0.1:${address.port}`),
    arrivals,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Sends `body` as JSON with a status. */
export function sendJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
