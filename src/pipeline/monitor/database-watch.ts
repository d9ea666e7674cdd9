/** Reads the state of the database for the monitor, on two connections, with a timeout of 2 s. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Config } from '../../model/config.ts';
import { UsageEtlError, WarehouseError } from '../../model/errors.ts';
import { openPool, withSession } from '../../warehouse/connection/connection.ts';
import { refuseForeignOwners, refuseMissingSchemas } from '../../warehouse/connection/foreign-owners.ts';
import { type QueueFigures, readQueueFigures } from '../../warehouse/queue/queue-figures.ts';
import { refuseUnusableQueue } from '../../warehouse/queue/queue-schema.ts';
import { type LedgerStanding, readLedgerStanding } from './ledger-standing.ts';

/** An open watch on a database. */
export interface DatabaseWatch {
  /** Why the database does not answer, without an address; undefined if it answers. */
  problem(): Promise<string | undefined>;
  /** The state of the ledger; undefined if the database does not answer or is not migrated. */
  standing(): Promise<LedgerStanding | undefined>;
  /** The jobs of the queue; undefined if the database does not answer or has no queue. */
  queue(): Promise<QueueFigures | undefined>;
  close(): Promise<void>;
}

const timeoutMs = 2_000;
const limits = { lockTimeoutMs: timeoutMs, statementTimeoutMs: timeoutMs };
/** One for the ledger, where a lock may block it. So the other one can always check whether the database answers. */
const mostConnections = 2;
const tooLate = 'the database does not answer within 2 seconds';

/**
 * Creates a watch; it connects at the first question. `settings` reads the settings again, because a password may change.
 * If they name no database, `embeddedUrl` is used.
 */
export function watchDatabase(
  settings: () => Pick<Config, 'databaseUrl' | 'statusGraceHours' | 'metricsOrganizations'>,
  embeddedUrl?: string,
): DatabaseWatch {
  let opened: { readonly url: string; readonly pool: pg.Pool } | undefined;
  let asking: Promise<string | undefined> | undefined;
  let reading: Promise<LedgerStanding | undefined> | undefined;
  const ending = new AbortController();

  function poolOf(url: string): pg.Pool {
    if (opened?.url === url) return opened.pool;
    void opened?.pool.end();
    opened = { url, pool: openPool(url, mostConnections, { limits, signal: ending.signal }) };
    return opened.pool;
  }

  async function within<T>(work: (pool: pg.Pool) => Promise<T>): Promise<T> {
    const timeout = new AbortController();
    const url = settings().databaseUrl ?? embeddedUrl;
    if (url === undefined)
      throw new WarehouseError('DATABASE_URL is not set, and the embedded Postgres is not open');
    try {
      return await Promise.race([
        work(poolOf(url)),
        delay(timeoutMs, undefined, { signal: timeout.signal }).then(() => {
          throw new WarehouseError(tooLate);
        }),
      ]);
    } finally {
      timeout.abort();
    }
  }

  async function ask(): Promise<string | undefined> {
    try {
      await within((pool) => withSession(pool, ({ client }) => client.query('select 1')));
      return undefined;
    } catch (error) {
      // Leave out the causes, because they name addresses.
      return error instanceof UsageEtlError ? error.message : 'the database does not answer as it should';
    }
  }

  function read(): Promise<LedgerStanding | undefined> {
    return within((pool) =>
      withSession(pool, async ({ client, db }) => {
        refuseMissingSchemas(await refuseForeignOwners(client));
        return await readLedgerStanding(db, settings());
      }),
    ).catch(() => undefined);
  }

  function readQueue(): Promise<QueueFigures | undefined> {
    return within((pool) =>
      withSession(pool, async ({ client }) => {
        await refuseUnusableQueue(client, await refuseForeignOwners(client));
        return await readQueueFigures(client);
      }),
    ).catch(() => undefined);
  }

  return {
    queue: readQueue,
    problem() {
      // Several requests may come at the same time. They share one query.
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    standing() {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    async close() {
      // Cancel running queries: nobody needs their answers any more.
      ending.abort(new WarehouseError('the monitor has closed'));
      await opened?.pool.end();
    },
  };
}
