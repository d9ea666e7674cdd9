/** A small HTTP server for monitoring: GET of a few paths, and 404 for all others. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe } from '../model/describe-value.ts';
import { codeOf } from '../model/error-code.ts';
import { ConfigurationError } from '../model/errors.ts';
import { ownHosts } from './own-hosts.ts';

/** An answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The address to listen on. */
export interface Listening {
  /** The port; 0 for any free one. */
  readonly port: number;
  readonly host: string;
}

/** A running server. */
export interface AnsweringHttp {
  readonly url: string;
  close(): Promise<void>;
}

/** Longest time that a client may take to send a request, so that nobody blocks a connection. */
const mostOfRequestMs = 5_000;

/** A JSON answer. */
export function jsonAnswer(status: number, body: object): HttpAnswer {
  return { status, contentType: 'application/json', body: `${JSON.stringify(body)}\n` };
}

/**
 * Answers the paths of `routes`, with any query, if the header `Host` names this machine. Throws `ConfigurationError` with
 * the name of the setting when it cannot listen.
 */
export async function answerHttp(
  { port, host }: Listening,
  routes: ReadonlyMap<string, () => Promise<HttpAnswer>>,
): Promise<AnsweringHttp> {
  const limits = { requestTimeout: mostOfRequestMs, headersTimeout: mostOfRequestMs };
  let isOwnHost = (_: string | undefined) => false;
  const server = createServer({ ...limits, connectionsCheckingInterval: 1_000 }, (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const route = isRead ? routes.get(path) : undefined;
    const answering = isOwnHost(request.headers.host)
      ? (route?.().catch(() => failed) ?? Promise.resolve(nothingThere))
      : Promise.resolve(otherHost(request.headers.host));
    // A request body is not read.
    request.resume();
    void answering.then(({ status, contentType, body }) => {
      response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
      response.end(body);
    });
  });
  const bound = await listen(server, port, host);
  isOwnHost = ownHosts(host, bound.address);
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shownHost}:${bound.port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const nothingThere = jsonAnswer(404, { error: 'not found; the paths are /healthz, /readyz and /metrics' });
const failed = jsonAnswer(500, { error: 'internal error' });

function otherHost(host: string | undefined): HttpAnswer {
  return jsonAnswer(421, {
    error: `expected the header Host to be the host of METRICS_HOST, or localhost, got ${describe(host)}`,
  });
}

function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new ConfigurationError([problemOf(error, port, host)], { cause: error })),
    );
    server.listen(port, host, () => {
      const bound = server.address();
      if (bound === null || typeof bound === 'string')
        reject(new Error(`expected an address with a port to listen on, got ${describe(bound)}`));
      else resolve(bound);
    });
  });
}

function problemOf(error: Error, port: number, host: string): string {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') return `METRICS_PORT: port ${port} is taken by another program; name a free one`;
  if (code === 'EACCES') return `METRICS_PORT: this user may not listen on port ${port}; name one above 1023`;
  return `METRICS_HOST: expected an address of this machine, such as 127.0.0.1, got ${host} (${code ?? 'listening failed'})`;
}
