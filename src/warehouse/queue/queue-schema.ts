/** The schema of the queue: `migrate` makes it, and all others only look whether they can use it. */
import type pg from 'pg';
import { ConfigurationError, WarehouseError } from '../../model/errors.ts';
import { inShell } from '../../model/installation.ts';
import { queueSchema } from '../connection/trusted-roles.ts';
import { loadQueueLibrary, loggerForLibrary, poolForLibrary } from './queue-library.ts';

/** The newest migration of the library in this version of the program. */
export const newestQueueMigration = 20;

/** The migrations of the library in a database. */
export interface QueueState {
  /** The newest applied migration; 0: none. */
  readonly version: number;
  /** The newest migration that this program knows. */
  readonly known: number;
}

/**
 * Makes the schema and the library's table of migrations, and applies the library's migrations that are missing; each is a
 * transaction of its own. The connection must hold the schema lock. Throws `ConfigurationError` if a newer version of the
 * library was here.
 */
export async function migrateQueue(client: pg.ClientBase): Promise<QueueState> {
  // With this table the library does not try to create the schema, for which the role may lack the right.
  await client.query(`
    create table if not exists etl_queue.migrations (
      id integer primary key,
      ts timestamptz not null default pg_catalog.now(),
      breaking boolean not null default false
    );
    comment on schema etl_queue is 'Jobs of worker and enqueue; it belongs to the library graphile-worker.';
    comment on table etl_queue.migrations is 'One row per migration of the library that was applied.';
    comment on column etl_queue.migrations.id is 'Number of the migration.';
    comment on column etl_queue.migrations.ts is 'When it was applied.';
    comment on column etl_queue.migrations.breaking is 'Whether older versions of the library cannot use the schema any more.';
  `);
  const before = await readVersion(client);
  refuseNewer(before);
  if (before < newestQueueMigration) {
    const { runMigrations } = await loadQueueLibrary();
    const pgPool = poolForLibrary((statement) => client.query(statement));
    await runMigrations({ schema: queueSchema, pgPool, logger: await loggerForLibrary(() => undefined) });
  }
  const version = await readVersion(client);
  if (version !== newestQueueMigration)
    throw new WarehouseError(
      `expected migration ${newestQueueMigration} of the queue's library to be the newest, got ${version}`,
    );
  return { version, known: newestQueueMigration };
}

/** Reads the migrations of the library. Only reads; `there` names the schemas whose owner was checked. */
export async function readQueueState(client: pg.ClientBase, there: ReadonlySet<string>): Promise<QueueState> {
  const version = there.has(queueSchema) ? await readVersion(client) : 0;
  return { version, known: newestQueueMigration };
}

/** Throws `ConfigurationError` if the queue is missing, is of another version of the library, or belongs to another role. */
export async function refuseUnusableQueue(client: pg.ClientBase, there: ReadonlySet<string>): Promise<void> {
  const { version } = await readQueueState(client, there);
  refuseNewer(version);
  if (version === 0)
    throw new ConfigurationError([
      `DATABASE_URL: the database lacks the queue (schema ${queueSchema}); run \`${inShell('migrate')}\` first`,
    ]);
  if (version < newestQueueMigration)
    throw new ConfigurationError([
      `DATABASE_URL: the queue (schema ${queueSchema}) has migration ${version} of its library, expected ` +
        `${newestQueueMigration}; run \`${inShell('migrate')}\` first`,
    ]);
  await refuseOtherOwner(client);
}

/** Throws `ConfigurationError` if the tables belong to another role: their row level security shows others no rows. */
async function refuseOtherOwner(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ owner: string; is_ours: boolean }>(
    `select
      pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(relation.relowner)) as owner,
      pg_catalog.pg_has_role(relation.relowner, 'usage') as is_ours
    from pg_catalog.pg_class as relation
    where relation.oid = pg_catalog.to_regclass('etl_queue._private_jobs')`,
  );
  const [jobs] = rows;
  if (jobs?.is_ours === false)
    throw new ConfigurationError([
      `DATABASE_URL: the queue (schema ${queueSchema}) belongs to role ${jobs.owner}; use the role that ran migrate`,
    ]);
}

function refuseNewer(version: number): void {
  if (version > newestQueueMigration)
    throw new ConfigurationError([
      `DATABASE_URL: the queue (schema ${queueSchema}) has migration ${version} of its library, expected at most ` +
        `${newestQueueMigration}: another version of the library has changed it; use the version of this program whose ` +
        `\`${inShell('migrate')}\` did that`,
    ]);
}

async function readVersion(client: pg.ClientBase): Promise<number> {
  const { rows: found } = await client.query<{ exists: boolean }>(
    'select exists (select from pg_catalog.pg_tables where schemaname = $1 and tablename = $2)',
    [queueSchema, 'migrations'],
  );
  if (found[0]?.exists !== true) return 0;
  const { rows } = await client.query<{ version: number }>(
    'select coalesce(max(id), 0)::integer as version from etl_queue.migrations',
  );
  return rows[0]?.version ?? 0;
}
