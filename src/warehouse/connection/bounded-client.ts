/** A connection that knows whether it waits for the server. Others can end the wait. */
import { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { isOwnMachine } from '../../model/database-url.ts';
import { type CancelTarget, requestCancel } from './cancel-request.ts';
import type { LockWait } from './lock-waits.ts';

/** How long the server may take; milliseconds. */
export interface Limits {
  /** For a lock that another session holds. */
  readonly lockTimeoutMs: number;
  /** For one statement. */
  readonly statementTimeoutMs: number;
}

/** Settings that all connections of a pool share. */
export interface Bounds {
  /** Undefined: statements have no time limit. */
  readonly limits: Limits | undefined;
  /** Ends waits when it aborts; undefined: nothing ends them. */
  readonly signal: AbortSignal | undefined;
}

/** The server sends these at login; a request to cancel needs them. */
type KeyMessage = Pick<CancelTarget, 'processId' | 'secretKey'>;

/** How long a request to cancel may take. */
const cancelTimeoutMs = 2_000;

/**
 * The server asked for the password in clear text, and nothing proves that it is the right server. The password was
 * not sent.
 */
export class ClearTextPasswordError extends Error {
  override readonly name = 'ClearTextPasswordError';
}

/** A client of a pool. Its connection ends as soon as it has failed. */
export class BoundedClient extends pg.Client {
  readonly bounds: Bounds;
  readonly #encryption: false | ConnectionOptions;
  /**
   * The process of the server that works for this connection. Behind a pooler it is the server's process, not the
   * pooler's.
   */
  backendPid: number | undefined;
  /** The last lock that the current work was seen waiting for. */
  lockWait: LockWait | undefined;
  /** Milliseconds that a statement may take now, if that is more than `limits` say. */
  allowanceMs = 0;
  #key: KeyMessage | undefined;
  /** Bytes that were sent when the server last said that it was ready; undefined until the login is done. */
  #answeredBytes: number | undefined;

  constructor(config: pg.ClientConfig, bounds: Bounds) {
    super(config);
    this.bounds = bounds;
    this.#encryption = typeof config.ssl === 'object' ? config.ssl : false;
    // An idle client has no other listener: an error right after the login would end the process.
    this.on('error', () => undefined);
    const { connection } = this;
    // If a login fails, the driver waits for the server to close the connection. The server waits for a minute, so we
    // close it.
    connection.on('error', () => connection.stream.destroy());
    // The driver's listener runs after this one and would send the password. It is emptied, and the connection
    // closed.
    connection.on('authenticationCleartextPassword', () => {
      if (this.#isVerified) return;
      this.password = '';
      connection.stream.destroy(
        new ClearTextPasswordError(
          'the server asks for the password in clear text, and nothing proves that it is the right server',
        ),
      );
    });
    connection.on('readyForQuery', () => {
      this.#answeredBytes = this.#socket?.bytesWritten ?? 0;
    });
    connection.on('backendKeyData', ({ processID, secretKey }: { processID: number; secretKey: number }) => {
      this.#key = { processId: processID, secretKey };
    });
  }

  /**
   * Whether this is certainly the right server: its certificate says so, or it runs on this machine. With TLS, a
   * local address may be a tunnel to another machine, so it proves nothing.
   */
  get #isVerified(): boolean {
    if (this.#encryption === false) return isOwnMachine(this.host);
    return this.#encryption.rejectUnauthorized !== false;
  }

  get #socket(): Socket | undefined {
    const { stream } = this.connection;
    return stream instanceof Socket ? stream : undefined;
  }

  /** Whether the server has not answered everything that was sent. */
  get isWaiting(): boolean {
    return this.#answeredBytes === undefined || (this.#socket?.bytesWritten ?? 0) > this.#answeredBytes;
  }

  /** Bytes sent and received: while they do not change, nothing happens on the connection. */
  get traffic(): number {
    return (this.#socket?.bytesRead ?? 0) + (this.#socket?.bytesWritten ?? 0);
  }

  /** Asks the server to cancel this connection's statement; without a statement, nothing happens. */
  cancel(): void {
    if (this.#key === undefined) return;
    const target = { host: this.host, port: this.port, ssl: this.#encryption, ...this.#key };
    // If that does not help, the caller gives the connection up.
    requestCancel(target, AbortSignal.timeout(cancelTimeoutMs)).catch(() => undefined);
  }

  /** Closes the connection without telling the server; the waiting statement fails with the error. */
  giveUp(error: Error): void {
    this.connection.stream.destroy(error);
  }

  /** Sends a trivial query, unless a statement is running; gives the connection up if no answer comes in time. */
  ping(withinMs: number, error: () => Error): void {
    if (this.isWaiting) return;
    let isAnswered = false;
    const timer = setTimeout(() => {
      // An answer may have arrived while this process was busy: read it first.
      setImmediate(() => {
        if (!isAnswered) this.giveUp(error());
      });
    }, withinMs);
    this.query('select 1')
      .catch(() => undefined)
      .finally(() => {
        isAnswered = true;
        clearTimeout(timer);
      });
  }
}
