/** Asks the server to cancel what a connection of ours is doing: on a connection of its own, as the protocol wants it. */
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';

/** Where the server is, and the connection's own secret: only who knows it may cancel. */
export interface CancelTarget {
  readonly host: string;
  readonly port: number;
  readonly ssl: false | ConnectionOptions;
  readonly processId: number;
  readonly secretKey: number;
}

/** Codes that stand where a login has the version of the protocol. */
const [cancelRequestCode, sslRequestCode] = [80_877_102, 80_877_103];

/**
 * Sends the request. Whether it came in time shows on the connection itself; rejects when it could not be sent, or as
 * soon as `signal` says so.
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
    // The server answers nothing: it closes when the request has been passed on.
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
  // Loaded where it is needed: many databases are on this machine.
  const { connect: connectTls } = await import('node:tls');
  // An address is no name to ask a certificate for (RFC 6066, section 3).
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
