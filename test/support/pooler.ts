/** A pooler that behaves to clients like PgBouncer (pool_mode transaction or session) or like pgpool in raw mode. */
import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import pg from 'pg';

export interface Pooler {
  /** The URL of Postgres, through the pooler. */
  readonly url: string;
  close(): Promise<void>;
}

const sslRequest = 80877103;
const lengthBytes = 4;

/** The bytes of a message of the server: its type, its length and its content. */
const message = (type: string, content: Buffer) => {
  const length = Buffer.alloc(lengthBytes);
  length.writeInt32BE(content.length + lengthBytes);
  return Buffer.concat([Buffer.from(type), length, content]);
};
const isReady = message('Z', Buffer.from('I'));
const welcome = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('S', Buffer.from('client_encoding\0UTF8\0')),
  message('K', Buffer.alloc(8)),
  isReady,
]);

/**
 * Starts a pooler for the server at `url`. In mode `transaction`, a client has a session until its transaction ends; in
 * mode `raw`, the next client gets a session as the last client left it.
 */
export async function startPooler(url: string, mode: 'transaction' | 'session' | 'raw'): Promise<Pooler> {
  const idle: Duplex[] = [];
  const ends = new Set<Duplex>();

  async function session(): Promise<Duplex> {
    // PgBouncer takes the session that was used last.
    const known = idle.pop();
    if (known !== undefined) return known;
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    const { stream } = client.connection;
    // From now on the messages of the server go to the client that uses the session.
    stream.removeAllListeners('data');
    ends.add(stream);
    return stream;
  }

  async function serve(client: Socket): Promise<void> {
    let server: Duplex | undefined;
    const give = () => {
      server?.removeAllListeners('data');
      if (server !== undefined) idle.push(server);
      server = undefined;
    };
    const take = async () => {
      const taken = await session();
      server = taken;
      let received = Buffer.alloc(0);
      taken.on('data', (bytes: Buffer) => {
        received = Buffer.concat([received, bytes]);
        let end = 0;
        let isEnd = false;
        while (received.length >= end + 1 + lengthBytes) {
          const next = end + 1 + received.readInt32BE(end + 1);
          if (received.length < next) break;
          isEnd = received.subarray(end, next).equals(isReady);
          end = next;
        }
        const whole = received.subarray(0, end);
        received = received.subarray(end);
        if (isEnd && mode === 'transaction') give();
        client.write(whole);
      });
    };
    client.on('close', () => (mode === 'raw' ? give() : server?.destroy()));
    for await (const bytes of client) {
      if (bytes[0] === 'X'.charCodeAt(0)) break;
      if (server === undefined) await take();
      server?.write(bytes);
    }
  }

  const listener = createServer((client) => {
    ends.add(client);
    client.on('error', () => client.destroy());
    client.once('data', (first) => {
      if (first.readInt32BE(lengthBytes) === sslRequest) client.destroy();
      client.write(welcome);
      serve(client).catch(() => client.destroy());
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new TypeError('expected a TCP port');
  const through = new URL(url);
  [through.hostname, through.port] = ['127.0.0.1', String(address.port)];
  return {
    url: through.href,
    close: () =>
      new Promise((resolve) => {
        for (const end of ends) end.destroy();
        listener.close(() => resolve());
      }),
  };
}
