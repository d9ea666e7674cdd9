/** A connection that tells whether it waits for the server, and can be made to stop waiting. */
import { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { isOwnMachine } from '../../model/database-url.ts';
import { type CancelTarget, requestCancel } from './cancel-request.ts';
import type { LockWait } from './lock-waits.ts';

/** How long the server may take; milliseconds. */
export interface Limits {
  /** For a lock of somebody else. */
  readonly lockTimeoutMs: number;
  /** For one statement. */
  readonly statementTimeoutMs: number;
}

/** What all connections of a pool share. */
export interface Bounds {
  /** Undefined: a statement may take as long as it takes. */
  readonly limits: Limits | undefined;
  /** Ends waits; undefined: nothing does. */
  readonly signal: AbortSignal | undefined;
}

/** The server's message with which a connection can be cancelled. */
type KeyMessage = Pick<CancelTarget, 'processId' | 'secretKey'>;

/** How long a request to cancel may be under way. */
const cancelTimeoutMs = 2_000;

/** The server asked for the password as it is, and may be anybody. The password was not sent. */
export class ClearTextPasswordError extends Error {
  override readonly name = 'ClearTextPasswordError';
}

/** A client of a pool. Its connection ends as soon as it has failed. */
export class BoundedClient extends pg.Client {
  readonly bounds: Bounds;
  readonly #encryption: false | ConnectionOptions;
  /** What the server does for it, for others to ask about; another one than the pooler's, where there is one. */
  backendPid: number | undefined;
  /** The lock that it was last seen waiting for, since the work under way began. */
  lockWait: LockWait | undefined;
  /** Milliseconds that a statement may take now, where that is more than `limits` say. */
  allowanceMs = 0;
  #key: KeyMessage | undefined;
  /** Bytes that had been sent when the server last said that it was ready; undefined until the login is done. */
  #answeredBytes: number | undefined;

  constructor(config: pg.ClientConfig, bounds: Bounds) {
    super(config);
    this.bounds = bounds;
    this.#encryption = typeof config.ssl === 'object' ? config.ssl : false;
    // Between two owners nobody else listens: the server's last words, right behind a login, would end the process.
    this.on('error', () => undefined);
    const { connection } = this;
    // The driver leaves a login that it cannot go on with to the server, which waits for a minute, and so would we.
    connection.on('error', () => connection.stream.destroy());
    // The driver, which listens after us, would answer: it has nothing to say any more, and nobody to say it to.
    connection.on('authenticationCleartextPassword', () => {
      if (this.#isVerified) return;
      this.password = '';
      connection.stream.destroy(
        new ClearTextPasswordError('the server asks for the password in clear text, and may be anybody'),
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
   * Whether the server is the one that was meant: its certificate says so, or it is on this machine. Where somebody wants
   * TLS to this machine, a tunnel may begin here.
   */
  get #isVerified(): boolean {
    if (this.#encryption === false) return isOwnMachine(this.host);
    return this.#encryption.rejectUnauthorized !== false;
  }

  get #socket(): Socket | undefined {
    const { stream } = this.connection;
    return stream instanceof Socket ? stream : undefined;
  }

  /** Whether something was sent that the server has not dealt with. */
  get isWaiting(): boolean {
    return this.#answeredBytes === undefined || (this.#socket?.bytesWritten ?? 0) > this.#answeredBytes;
  }

  /** Bytes that have gone either way: while they do not change, nothing happens on the connection. */
  get traffic(): number {
    return (this.#socket?.bytesRead ?? 0) + (this.#socket?.bytesWritten ?? 0);
  }

  /** Asks the server to cancel what it does for this connection; nothing happens when it does nothing. */
  cancel(): void {
    if (this.#key === undefined) return;
    const target = { host: this.host, port: this.port, ssl: this.#encryption, ...this.#key };
    // Where it does not help, the connection is given up.
    requestCancel(target, AbortSignal.timeout(cancelTimeoutMs)).catch(() => undefined);
  }

  /** Ends the connection without a word to the server; whoever waits for it gets the error. */
  giveUp(error: Error): void {
    this.connection.stream.destroy(error);
  }

  /** Asks for a sign of life, unless the server is at work; without one in time the connection is given up. */
  ping(withinMs: number, error: () => Error): void {
    if (this.isWaiting) return;
    let isAnswered = false;
    const timer = setTimeout(() => {
      // An answer may have come while this process was busy: it is read first.
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
