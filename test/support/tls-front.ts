/** A server that adds TLS to a Postgres server that has none, for tests of certificates. */
import { readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

const fixture = (name: string) => new URL(`../fixtures/tls/${name}`, import.meta.url);

/** The file with the authority's certificate. The authority signed that of the server, which is for `localhost` only. */
export const authorityFile = fixture('authority.pem').pathname;

/** A running server with TLS. */
export interface TlsFront {
  readonly port: number;
  /** Returns how many connections were encrypted so far. */
  readonly encrypted: () => number;
  close(): Promise<void>;
}

const sslRequestLength = 8;
const sslRequestCode = 80877103;

/** Starts a server with TLS that forwards to the Postgres server at `host`:`port`. */
export async function startTlsFront(host: string, port: number): Promise<TlsFront> {
  const [key, cert] = [readFileSync(fixture('server.key')), readFileSync(fixture('server.pem'))];
  const sockets = new Set<Socket>();
  let encrypted = 0;
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', (first) => {
      const asksForTls = first.length === sslRequestLength && first.readInt32BE(4) === sslRequestCode;
      if (!asksForTls) {
        socket.destroy();
        return;
      }
      socket.write('S');
      const secured = new TLSSocket(socket, { isServer: true, key, cert });
      const behind = connect(port, host);
      sockets.add(behind);
      for (const end of [secured, behind]) end.on('error', () => socket.destroy());
      secured.once('secure', () => {
        encrypted += 1;
      });
      secured.pipe(behind).pipe(secured);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('expected a TCP port');
  return {
    port: address.port,
    encrypted: () => encrypted,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
