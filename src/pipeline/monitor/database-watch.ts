/** Looks at the database from time to time, for whoever watches from outside: on two connections, for 2 s at most. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Config } from '../../model/config.ts';
import { UsageEtlError, WarehouseError } from '../../model/errors.ts';
import { openPool, withSession } from '../../warehouse/connection/connection.ts';
import { refuseForeignOwners, refuseMissingSchemas } from '../../warehouse/connection/foreign-owners.ts';
import { type LedgerStanding, readLedgerStanding } from './ledger-standing.ts';

/** A database under watch. */
export interface DatabaseWatch {
  /** Why the database does not answer, in words without an address; undefined when it does. */
  problem(): Promise<string | undefined>;
  /** What the ledger says; undefined when the database does not answer, or is not migrated. */
  standing(): Promise<LedgerStanding | undefined>;
  close(): Promise<void>;
}

const timeoutMs = 2_000;
const limits = { lockTimeoutMs: timeoutMs, statementTimeoutMs: timeoutMs };
/** One for the ledger, which somebody may have locked, so that the other is always there for whether it answers at all. */
const mostConnections = 2;
const tooLate = 'the database does not answer within 2 seconds';

/**
 * Begins to watch; nothing is connected yet. `settings` gives those of this moment: a password may change. Where they name no
 * database, `embeddedUrl` does.
 */
export function watchDatabase(
  settings: () => Pick<Config, 'databaseUrl' | 'statusGraceHours'>,
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
    if (url === undefined) throw new WarehouseError('there is no database');
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
      // Without its causes, which name addresses.
      return error instanceof UsageEtlError ? error.message : 'the database does not answer as it should';
    }
  }

  function read(): Promise<LedgerStanding | undefined> {
    return within((pool) =>
      withSession(pool, async ({ client, db }) => {
        refuseMissingSchemas(await refuseForeignOwners(client));
        return await readLedgerStanding(db, settings().statusGraceHours);
      }),
    ).catch(() => undefined);
  }

  return {
    problem() {
      // Many may ask at once: one answer is for all of them.
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
      // Whoever watches need not hear the answer any more.
      ending.abort(new WarehouseError('nobody watches any more'));
      await opened?.pool.end();
    },
  };
}
