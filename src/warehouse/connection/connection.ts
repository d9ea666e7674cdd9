/** Connections to Postgres. A session is one connection with two interfaces: Kysely for statements, pg for `COPY`. */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { SilentDatabaseError, UsageEtlError } from '../../model/errors.ts';
import { defaultTiming, type Timing } from '../../model/timing.ts';
import type { DB } from '../database.generated.ts';
import { BoundedClient, type Limits } from './bounded-client.ts';
import { connectionProblem, lossProblem, placeOf, statementProblem } from './connection-problem.ts';
import { isConnectionLoss } from './database-error.ts';
import { limitProblem, wasCancelled } from './limit-problem.ts';
import { readLockWaits } from './lock-waits.ts';
import { connectInPlace, countPlaces, type Place, whileHolding } from './pool-places.ts';
import { setTiming } from './pool-timing.ts';
import { watchPool } from './pool-watch.ts';
import { prepareSession } from './session-settings.ts';
import { connectionSecurity } from './tls.ts';

/** Kysely, bound to one connection or to one transaction on it. */
export type Database = Kysely<DB>;

/** One connection, used by one piece of work at a time. */
export interface Session {
  readonly client: pg.PoolClient;
  readonly db: Database;
}

/** Options of a pool. */
export interface PoolOptions {
  /** Default: statements have no time limit. */
  readonly limits?: Limits | undefined;
  /** Cancels all statements when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Called with a sentence about anything that takes long in the database. */
  readonly onWait?: (sentence: string) => void;
  readonly timing?: Timing | undefined;
  /** Whether many runs share the pool. Then they wait for a place as long as needed, see `connectInPlace`. */
  readonly isShared?: boolean;
}

/** How long it may take to connect, and to ask what other connections wait for. */
const [leastConnectTimeoutMs, mostConnectTimeoutMs] = [1_000, 15_000];
const askTimeoutMs = 5_000;

/**
 * Opens a pool of at most `maxConnections`; it connects when first used. Dates arrive as `YYYY-MM-DD` text, so that
 * no time zone changes them. Each session has the settings of `prepareSession`. TLS is as `sslmode` says; throws
 * `ConfigurationError` if that is impossible. With `limits`, no statement takes longer, even if the server does not
 * keep its time-outs. When `signal` aborts, running statements are cancelled.
 */
export function openPool(url: string, maxConnections: number, options: PoolOptions = {}): pg.Pool {
  const { limits, signal, onWait = () => undefined, timing = defaultTiming, isShared = false } = options;
  const bounds = { limits, signal };
  const clients = new Set<BoundedClient>();
  const { connectionString, ssl } = connectionSecurity(url, process.env);
  const access = { connectionString, ssl, application_name: 'usage-etl' };
  const pool = new pg.Pool({
    ...access,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutOf(limits),
    keepAlive: true,
    types: { getTypeParser },
    Client: class extends BoundedClient {
      constructor(config: pg.ClientConfig = {}) {
        super(config, bounds);
        clients.add(this);
        this.once('end', () => clients.delete(this));
      }
    },
  });
  // The pool drops an idle connection that breaks; the next user gets a new one, or the error.
  pool.on('error', () => undefined);
  const readWaits = async (pids: readonly number[]) => {
    const client = createClient(url, {
      application_name: access.application_name,
      connectionTimeoutMillis: askTimeoutMs,
      query_timeout: askTimeoutMs,
    });
    try {
      await client.connect();
      // Without a known process every connection may still lead to a transaction pooler, so nothing is sent.
      if (pids.length === 0) return [];
      await prepareSession(client);
      return await readLockWaits(client, pids);
    } finally {
      await client.end();
    }
  };
  setTiming(pool, timing);
  if (isShared) countPlaces(pool, maxConnections);
  watchPool(pool, { ...bounds, clients, onWait, readWaits, timing });
  return pool;
}

/**
 * A client outside any pool, not connected yet. The caller connects it and calls `prepareSession`. Throws as
 * `openPool` does.
 */
export function createClient(url: string, config: pg.ClientConfig = {}): pg.Client {
  const { connectionString, ssl } = connectionSecurity(url, process.env);
  return new BoundedClient({ ...config, connectionString, ssl }, { limits: undefined, signal: undefined });
}

function connectTimeoutOf(limits: Limits | undefined): number {
  const longest = limits?.statementTimeoutMs ?? mostConnectTimeoutMs;
  return Math.min(mostConnectTimeoutMs, Math.max(leastConnectTimeoutMs, longest));
}

const dateTypeId = 1082;
const getTypeParser: typeof pg.types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
  id === dateTypeId ? (value: string) => value : pg.types.getTypeParser(id, format as 'text');

const sessions = new WeakMap<pg.PoolClient, Session>();

/** Runs `work` on one connection and gives it back; a broken connection is closed instead. `Place` explains `place`. */
export async function withSession<T>(
  pool: pg.Pool,
  work: (session: Session) => Promise<T>,
  place: Place = 'first',
): Promise<T> {
  const client = await connect(pool, place);
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    return await working(client, () => whileHolding(pool, () => work(sessionOf(client))));
  } catch (error) {
    if (isConnectionLoss(error)) broken ??= error instanceof Error ? error : new Error(String(error));
    throw broken instanceof SilentDatabaseError ? broken : error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

/**
 * Runs `work` on a connection. Replaces its error where Postgres does not say what to do: by `LockTimeoutError` after
 * a wait for a lock, by `WarehouseError` otherwise, also for a lost connection. If the pool's signal ended the work,
 * throws the signal's reason.
 */
export async function working<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  const bounded = client instanceof BoundedClient ? client : undefined;
  if (bounded !== undefined) bounded.lockWait = undefined;
  try {
    return await work();
  } catch (error) {
    const signal = bounded?.bounds.signal;
    if (signal?.aborted === true && (wasCancelled(error) || isConnectionLoss(error))) throw signal.reason;
    if (bounded === undefined) throw statementProblem(error);
    if (isConnectionLoss(error) && !(error instanceof UsageEtlError))
      throw lossProblem(error, placeOf(bounded));
    throw await limitProblem(bounded, error);
  }
}

/** Runs `work` in one transaction. */
export async function withTransaction<T>(pool: pg.Pool, work: (session: Session) => Promise<T>): Promise<T> {
  return withSession(pool, ({ client, db }) =>
    db.transaction().execute((transaction) => work({ client, db: transaction })),
  );
}

/** A connection of the pool, with the session's settings. Throws what `connectionProblem` returns if there is none. */
export async function connect(pool: pg.Pool, place: Place = 'first'): Promise<pg.PoolClient> {
  let client: pg.PoolClient | undefined;
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  try {
    client = await connectInPlace(pool, place);
    client.on('error', onError);
    await prepareSession(client);
    client.off('error', onError);
    return client;
  } catch (error) {
    client?.release(true);
    throw connectionProblem(broken ?? error, placeOfPool(pool));
  }
}

/** The address of a pool's database, without role and password. */
export function placeOfPool({ options: { connectionString } }: pg.Pool): string {
  return placeOf(new pg.Client({ connectionString }));
}

/** The session of a connection; its owner releases it. */
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

/** Runs `work` in a read-only transaction that sees one snapshot of the database. */
export async function withSnapshot<T>(pool: pg.Pool, work: (session: Session) => Promise<T>): Promise<T> {
  return withSession(pool, ({ client, db }) =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute((transaction) => work({ client, db: transaction })),
  );
}
