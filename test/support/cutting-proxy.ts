/** A way to Postgres that can be cut at the worst moment, such as when the server has committed, before we hear of it. */
import { connect, createServer, type Socket } from 'node:net';

/** A proxy on loopback. */
export interface CuttingProxy {
  /** The given address of Postgres, by way of the proxy. */
  readonly url: string;
  /** Drops the connection on which the next transaction commits, instead of handing on that it has. */
  cutAtNextCommit(): void;
  /** The same for the given transaction from now on; the first is 1. */
  cutAtCommit(number: number): void;
  /** Drops the connection that brings the given send from now on, before the server sees it; the first is 1. */
  cutAtSend(number: number): void;
  /** Sends that went to the server since `cutAtSend` was last called. */
  readonly sends: number;
  /** How often a connection was cut. */
  readonly cuts: number;
  close(): Promise<void>;
}

/** Starts a proxy for the server at `url`, which must not ask for TLS. */
export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let commitsUntilCut = 0;
  let cuts = 0;
  let sends = 0;
  let sendToCut: number | undefined;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (bytes) => {
      sends += 1;
      if (sends === sendToCut) {
        cuts += 1;
        client.resetAndDestroy();
      } else upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      // The tag of a completed statement, as the server reports it.
      if (commitsUntilCut > 0 && bytes.includes('COMMIT\0') && --commitsUntilCut === 0) {
        cuts += 1;
        client.resetAndDestroy();
      } else client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(address.port);
  return {
    url: through.href,
    cutAtNextCommit() {
      commitsUntilCut = 1;
    },
    cutAtCommit(number) {
      commitsUntilCut = number;
    },
    cutAtSend(number) {
      sends = 0;
      sendToCut = number;
    },
    get sends() {
      return sends;
    },
    get cuts() {
      return cuts;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
