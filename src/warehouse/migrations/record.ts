/** The tables that record which files `migrate` has applied. */
import type pg from 'pg';
import type { SqlText } from './sql-text.ts';

/** The tables that Kysely's migrator reads and writes. */
export const record = { schema: 'etl', table: 'migration', lockTable: 'migration_lock' } as const;

/**
 * Creates the missing tables of the record. Kysely's migrator would create its two tables itself, but without comments
 * and without the checksum.
 */
export async function makeRecord(client: pg.ClientBase): Promise<void> {
  await client.query(`
    create table if not exists etl.migration (
      name varchar(255) primary key,
      timestamp varchar(255) not null,
      checksum text
    );
    comment on table etl.migration is 'One row per migration that was applied.';
    comment on column etl.migration.name is 'File name in sql/migrations, without .sql.';
    comment on column etl.migration.timestamp is 'When it was applied, ISO 8601 in UTC.';
    comment on column etl.migration.checksum is 'SHA-256 of the file when it was applied.';

    create table if not exists etl.migration_lock (
      id varchar(255) primary key,
      is_locked integer not null default 0
    );
    comment on table etl.migration_lock is 'One row, kept by the migration library.';
    comment on column etl.migration_lock.id is 'Name of the lock.';
    comment on column etl.migration_lock.is_locked is 'Not used on Postgres, which has advisory locks.';

    create table if not exists etl.view_fingerprint (
      file_name text primary key,
      fingerprint text not null,
      applied_at timestamptz not null default now()
    );
    comment on table etl.view_fingerprint is 'One row per file in sql/views as it was last applied.';
    comment on column etl.view_fingerprint.file_name is 'File name in sql/views.';
    comment on column etl.view_fingerprint.fingerprint is
 'SHA-256 of the file. While it is the same, migrate leaves the views in it as they are.';
    comment on column etl.view_fingerprint.applied_at is 'When the views in the file were last created or replaced.';
  `);
}

/** Stores the checksum of each migration that has none. */
export async function storeChecksums(client: pg.ClientBase, texts: readonly SqlText[]): Promise<void> {
  await client.query(
    `update etl.migration
    set checksum = file.checksum
    from unnest($1::text[], $2::text[]) as file (name, checksum)
    where migration.name = file.name and migration.checksum is null`,
    [texts.map(({ name }) => name), texts.map(({ checksum }) => checksum)],
  );
}
