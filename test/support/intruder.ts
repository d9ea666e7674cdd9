/** A role that may log in and has no other right. It takes locks whose numbers it has read in `pg_locks`. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { TestDatabase } from './database.ts';

/** A lock as `pg_locks` shows it. */
export interface SeenLock {
  readonly classid: string;
  readonly objid: string;
}

/** A role without rights, and its connection. */
export interface Intruder {
  readonly role: string;
  readonly pid: number;
  /** The advisory locks that other sessions hold in the database at this moment. */
  seen(): Promise<SeenLock[]>;
  /** Waits until these locks are free, takes them and keeps them. */
  take(locks: readonly SeenLock[]): Promise<void>;
  /** Releases all locks. */
  release(): Promise<void>;
  leave(): Promise<void>;
}

/** Lets an intruder into a database. */
export async function letIn(database: TestDatabase): Promise<Intruder> {
  const role = `intruder_${randomBytes(4).toString('hex')}`;
  const password = randomBytes(8).toString('hex');
  await database.pool.query(`create role ${role} login password '${password}'`);
  const url = new URL(database.url);
  [url.username, url.password] = [role, password];
  // The intruder uses the application name of the program.
  const client = new pg.Client({ connectionString: url.href, application_name: 'usage-etl' });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return {
    role,
    pid: rows[0]?.pid ?? 0,
    async seen() {
      const { rows: locks } = await client.query<SeenLock>(
        `select classid::text, objid::text from pg_locks
         where locktype = 'advisory' and granted and objsubid = 2 and pid <> pg_backend_pid()
           and database = (select oid from pg_database where datname = current_database())`,
      );
      return locks;
    },
    async take(locks) {
      for (const { classid, objid } of locks)
        await client.query('select pg_advisory_lock($1::integer, $2::integer)', [classid, objid]);
    },
    async release() {
      await client.query('select pg_advisory_unlock_all()');
    },
    async leave() {
      await client.end();
      await database.pool.query(`drop role ${role}`);
    },
  };
}
