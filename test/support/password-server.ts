/** A server that pretends to be Postgres and asks clients for the password in clear text. */
import { createServer, type Socket } from 'node:net';

/** A server that records everything that it receives. */
export interface PasswordServer {
  readonly port: number;
  /** Returns everything that was sent to the server. */
  readonly received: () => string;
  close(): Promise<void>;
}

/** `AuthenticationCleartextPassword` of the protocol. */
const asksForPassword = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);

/** Starts the server. It closes a connection when it has received the client's answer. */
export async function startPasswordServer(host = '127.0.0.1'): Promise<PasswordServer> {
  const sockets = new Set<Socket>();
  let received = '';
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', () => {
      socket.write(asksForPassword);
      socket.on('data', (bytes) => {
        received += bytes.toString('utf8');
        socket.destroy();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('expected a TCP port');
  return {
    port: address.port,
    received: () => received,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
