/** Records every statement that the program sends to Postgres, by connection, as `log_statement = all` would. */
import { type Link, startPostgresProxy } from './postgres-proxy.ts';

/** A proxy that records statements. */
export interface StatementLog {
  /** The URL of Postgres, through the proxy. */
  readonly url: string;
  /** The statements of each connection that sent any, in order. */
  readonly connections: () => readonly (readonly string[])[];
  close(): Promise<void>;
}

const lengthBytes = 4;
const cancelRequestCode = 80_877_102;

/** Starts the proxy for the server at `url`, which must not ask for TLS. */
export async function startStatementLog(url: string): Promise<StatementLog> {
  const statements = new Map<Link, string[]>();
  const rests = new Map<Link, Buffer>();

  function note(link: Link, type: string, content: Buffer): void {
    // The content of a simple query is its text; a statement to be prepared has its name before the text.
    const from = type === 'Q' ? 0 : content.indexOf(0) + 1;
    if (type === 'Q' || type === 'P')
      statements.get(link)?.push(content.toString('utf8', from, content.indexOf(0, from)));
  }

  const proxy = await startPostgresProxy(url, {
    fromClient(bytes, link) {
      let rest = Buffer.concat([rests.get(link) ?? Buffer.alloc(0), bytes]);
      for (;;) {
        // The first message of a connection has no type.
        const typeBytes = statements.has(link) ? 1 : 0;
        if (rest.length < typeBytes + lengthBytes) break;
        const end = typeBytes + rest.readInt32BE(typeBytes);
        if (rest.length < end) break;
        const content = rest.subarray(typeBytes + lengthBytes, end);
        if (typeBytes === 0) {
          if (content.readInt32BE(0) !== cancelRequestCode) statements.set(link, []);
        } else note(link, String.fromCharCode(rest[0] ?? 0), content);
        rest = rest.subarray(end);
      }
      rests.set(link, rest);
      link.upstream.write(bytes);
    },
    fromServer: (bytes, { client }) => client.write(bytes),
  });
  return {
    url: proxy.url,
    connections: () => [...statements.values()].filter(({ length }) => length > 0),
    close: proxy.close,
  };
}
