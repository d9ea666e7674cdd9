/** A proxy to Postgres; a test decides what it forwards. */
import { connect, createServer, type Socket } from 'node:net';

/** One connection through the proxy: the socket to the program, and the socket to the server. */
export interface Link {
  readonly client: Socket;
  readonly upstream: Socket;
}

/** Functions that are called with bytes as they arrive. To forward bytes, they write them to the other socket. */
export interface Handover {
  readonly fromClient: (bytes: Buffer, link: Link) => void;
  readonly fromServer: (bytes: Buffer, link: Link) => void;
  /** Whether the socket to the server stays open after the client has closed its own, until the proxy closes; default false. */
  readonly lingers?: boolean;
}

/** A proxy on loopback. */
export interface PostgresProxy {
  /** The URL of Postgres, through the proxy. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a proxy for the server at `url`, which must not ask for TLS. */
export async function startPostgresProxy(url: string, handover: Handover): Promise<PostgresProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    upstream.on('close', () => client.destroy());
    client.on('close', () => {
      if (handover.lingers !== true) upstream.destroy();
    });
    const link = { client, upstream };
    client.on('data', (bytes) => handover.fromClient(bytes, link));
    upstream.on('data', (bytes) => handover.fromServer(bytes, link));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(address.port);
  return {
    url: through.href,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
