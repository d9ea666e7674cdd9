/** Asks the server to cancel the statement of a connection. The protocol needs a separate connection for that. */
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';

/** The server's address, and the connection's secret key: the server cancels only for a client that knows the key. */
export interface CancelTarget {
  readonly host: string;
  readonly port: number;
  readonly ssl: false | ConnectionOptions;
  readonly processId: number;
  readonly secretKey: number;
}

/** Codes in the place of the protocol version. */
const [cancelRequestCode, sslRequestCode] = [80_877_102, 80_877_103];

/**
 * Sends the request. Only the cancelled connection shows whether the request arrived in time. Rejects if it could not
 * be sent, or when `signal` aborts.
 */
export async function requestCancel(target: CancelTarget, signal: AbortSignal): Promise<void> {
  const { host, port } = target;
  const plain = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  const stop = () => plain.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await once(plain, 'connect', { signal });
    const socket = target.ssl === false ? plain : await encrypted(plain, target, target.ssl, signal);
    socket.end(message(cancelRequestCode, target.processId, target.secretKey));
    // The server does not answer: it closes the connection when it has passed the request on.
    await once(socket.resume(), 'close', { signal });
  } finally {
    signal.removeEventListener('abort', stop);
    plain.destroy();
  }
}

async function encrypted(
  plain: Socket,
  { host }: CancelTarget,
  ssl: ConnectionOptions,
  signal: AbortSignal,
): Promise<Socket> {
  plain.write(message(sslRequestCode));
  await once(plain, 'data', { signal });
  // Loaded only when needed: many databases run on this machine, without TLS.
  const { connect: connectTls } = await import('node:tls');
  // An IP address cannot be a server name (RFC 6066, section 3).
  const secured = connectTls({ ...ssl, socket: plain, host, ...(isIP(host) ? {} : { servername: host }) });
  await once(secured, 'secureConnect', { signal });
  return secured;
}

/** A message without a type: its length, then numbers. */
function message(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * (numbers.length + 1));
  for (const [index, number] of [bytes.length, ...numbers].entries()) bytes.writeInt32BE(number, 4 * index);
  return bytes;
}
