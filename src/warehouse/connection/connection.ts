/** Connections to Postgres. A session is one connection seen two ways: Kysely for statements, pg for `COPY`. */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { codeOf } from '../../model/error-code.ts';
import { WarehouseError } from '../../model/errors.ts';
import type { DB } from '../database.generated.ts';
import { connectionSecurity } from './tls.ts';

/** Kysely, bound to one connection or to one transaction on it. */
export type Database = Kysely<DB>;

/** One connection, used by one piece of work at a time. */
export interface Session {
  readonly client: pg.PoolClient;
  readonly db: Database;
}

const uniqueViolation = '23505';
const deadlockDetected = '40P01';
const serializationFailure = '40001';

/**
 * Opens a pool of at most `maxConnections`; connects when first used. Dates arrive as `YYYY-MM-DD` text, so that
 * no time zone ever touches them; each session works in UTC whatever the database's default is. TLS is as
 * `sslmode` says; throws `ConfigurationError` when that cannot be kept.
 */
export function openPool(url: string, maxConnections: number): pg.Pool {
  const { connectionString, ssl } = connectionSecurity(url, process.env);
  const pool = new pg.Pool({
    connectionString,
    ssl,
    max: maxConnections,
    application_name: 'usage-etl',
    connectionTimeoutMillis: 15_000,
    keepAlive: true,
    types: { getTypeParser },
    // Awaited by the pool; its types do not say so.
    onConnect: (client) => client.query(sessionSettings),
  });
  // An idle connection that breaks leaves the pool by itself; who needs one next gets a new one, or the error.
  pool.on('error', () => undefined);
  return pool;
}

const sessionSettings = [
  `set timezone = 'UTC'`,
  `set datestyle = 'ISO, YMD'`,
  `set idle_in_transaction_session_timeout = 0`,
  `set client_min_messages = 'warning'`,
  // Keys are committed on another connection while rows are written: a snapshot of before would not see them.
  `set default_transaction_isolation = 'read committed'`,
].join('; ');

const dateTypeId = 1082;
const getTypeParser: typeof pg.types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
  id === dateTypeId ? (value: string) => value : pg.types.getTypeParser(id, format as 'text');

const sessions = new WeakMap<pg.PoolClient, Session>();

/** Runs `work` on one connection and gives it back; a connection that broke meanwhile is thrown away. */
export async function withSession<T>(pool: pg.Pool, work: (session: Session) => Promise<T>): Promise<T> {
  const client = await connect(pool);
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    return await work(sessionOf(client));
  } catch (error) {
    if (isConnectionLoss(error)) broken = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

/** Runs `work` in one transaction: all of it stays, or nothing. */
export async function withTransaction<T>(pool: pg.Pool, work: (session: Session) => Promise<T>): Promise<T> {
  return withSession(pool, ({ client, db }) =>
    db.transaction().execute((transaction) => work({ client, db: transaction })),
  );
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw new WarehouseError('the database cannot be reached', { cause: error });
  }
}

/** A session over a connection that somebody else owns. */
export function sessionOf(client: pg.PoolClient): Session {
  const known = sessions.get(client);
  if (known !== undefined) return known;
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({
      pool: {
        options: {},
        connect: async () => ({ query: client.query.bind(client), release: () => undefined }),
        end: async () => undefined,
      },
    }),
  });
  const session = { client, db };
  sessions.set(client, session);
  return session;
}

/** Runs `work` in a transaction that sees the database as it is now, whatever is committed meanwhile, and writes nothing. */
export async function withSnapshot<T>(pool: pg.Pool, work: (session: Session) => Promise<T>): Promise<T> {
  return withSession(pool, ({ client, db }) =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute((transaction) => work({ client, db: transaction })),
  );
}

/** Whether a row could not be written because one with its key is there. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === uniqueViolation;
}

/** Whether Postgres chose this transaction to give way to another one: the same work may succeed when repeated. */
export function gaveWay(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause)
    if ('code' in current && (current.code === deadlockDetected || current.code === serializationFailure))
      return true;
  return false;
}

/** Whether the connection is gone, so that the same work may succeed on another one. */
export function isConnectionLoss(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof WarehouseError && current.message.startsWith('the database cannot be reached'))
      return true;
    const code = 'code' in current ? String(current.code) : '';
    // Class 08 is connection exceptions, 57P0x are shutdown and crash of the server.
    if (/^(?:08|57P0)/.test(code) || lostSocketCodes.has(code)) return true;
    if (
      /^Connection terminated|^Client has encountered a connection error|not queryable/.test(current.message)
    )
      return true;
  }
  return false;
}

const lostSocketCodes = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
