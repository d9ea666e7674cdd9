/** A proxy to Postgres that cuts a connection at a chosen moment, such as after a commit but before its answer. */
import { type PostgresProxy, startPostgresProxy } from './postgres-proxy.ts';

/** A proxy on loopback that cuts connections. */
export interface CuttingProxy extends PostgresProxy {
  /** Drops the connection on which the next transaction commits, and does not forward the answer to the commit. */
  cutAtNextCommit(): void;
  /** Like `cutAtNextCommit`, for the transaction with this number; the next one to commit has number 1. */
  cutAtCommit(number: number): void;
  /** Drops the connection of the send with this number, before the server gets it; the next send has number 1. */
  cutAtSend(number: number): void;
  /** Number of sends (writes of the program) that arrived since `cutAtSend` was last called. */
  readonly sends: number;
  /** How often a connection was cut. */
  readonly cuts: number;
}

/** Starts a proxy for the server at `url`, which must not ask for TLS. */
export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  let commitsUntilCut = 0;
  let cuts = 0;
  let sends = 0;
  let sendToCut: number | undefined;
  const proxy = await startPostgresProxy(url, {
    fromClient(bytes, { client, upstream }) {
      sends += 1;
      if (sends === sendToCut) {
        cuts += 1;
        client.resetAndDestroy();
      } else upstream.write(bytes);
    },
    fromServer(bytes, { client }) {
      // The server reports a completed commit with this tag.
      if (commitsUntilCut > 0 && bytes.includes('COMMIT\0') && --commitsUntilCut === 0) {
        cuts += 1;
        client.resetAndDestroy();
      } else client.write(bytes);
    },
  });
  return {
    ...proxy,
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
  };
}
