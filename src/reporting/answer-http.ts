/** A small HTTP server for whoever watches this process: GET of a few paths, and 404 for everything else. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { codeOf } from '../model/error-code.ts';
import { ConfigurationError } from '../model/errors.ts';
import { ownHosts } from './own-hosts.ts';

/** What is answered. */
export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Where to listen. */
export interface Listening {
  /** 0 for any free one. */
  readonly port: number;
  readonly host: string;
}

/** A server that listens. */
export interface AnsweringHttp {
  readonly url: string;
  close(): Promise<void>;
}

/** Nobody who watches takes longer to ask; nobody else shall hold a connection. */
const mostOfRequestMs = 5_000;

/** An answer of JSON. */
export function jsonAnswer(status: number, body: object): HttpAnswer {
  return { status, contentType: 'application/json', body: `${JSON.stringify(body)}\n` };
}

/**
 * Answers the paths of `routes`, whatever their query, to whoever asks for a host that is this one. Throws `ConfigurationError`, with the name of the setting, where it
 * cannot listen.
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
      : Promise.resolve(otherHost);
    // What else comes is not read: a body would only take time.
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

const nothingThere = jsonAnswer(404, { error: 'there are /healthz, /readyz and /metrics' });
const otherHost = jsonAnswer(421, {
  error: 'expected a request for the host that METRICS_HOST names, or for localhost; name that one as Host',
});
const failed = jsonAnswer(500, { error: 'the answer could not be made' });

function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new ConfigurationError([problemOf(error, port)], { cause: error })),
    );
    server.listen(port, host, () => {
      const bound = server.address();
      if (bound === null || typeof bound === 'string') reject(new Error('expected an address with a port'));
      else resolve(bound);
    });
  });
}

function problemOf(error: Error, port: number): string {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') return `METRICS_PORT: port ${port} is taken by another program; name a free one`;
  if (code === 'EACCES') return `METRICS_PORT: this user may not listen on port ${port}; name one above 1023`;
  return `METRICS_HOST: expected an address of this machine, such as 127.0.0.1 (${code ?? 'it cannot be listened on'})`;
}
