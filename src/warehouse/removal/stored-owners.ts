/** Who has or had which address, as far as anything that is stored says so. */
import { hash } from 'node:crypto';
import type pg from 'pg';
import { emailKey } from '../../model/email.ts';
import { storableText } from '../../model/json.ts';
import type { PersonColumn } from '../../model/person-places.ts';
import { withSession, withTransaction } from '../connection/connection.ts';
import { storedChunks } from './rewrite-archive.ts';
import { eachRows } from './rewrite-column.ts';

/** A user of an organization; with an e-mail (as `emailKey` has it) that the user has or had, or without any. */
export interface StoredOwner {
  readonly orgKey: number;
  readonly userId: string;
  readonly email: string | null;
}

/** What is read, and how. */
export interface OwnersReading {
  readonly pool: pg.Pool;
  readonly places: readonly PersonColumn[];
  readonly signal: AbortSignal;
  /** Tells the owners in a JSON text. */
  readonly readJson: (json: string, onOwner: (userId: string, email: string | undefined) => void) => void;
  /** The JSON text of a chunk of the archive. Throws for what cannot be read. */
  readonly openChunk: (payload: Buffer) => Promise<string>;
}

/** Tells each owner at least once per address, in no order; it may be asked again and again. */
export type EachOwner = (onOwner: (owner: StoredOwner) => void) => Promise<void>;

const rowsAtOnce = 5_000;
/** Rows of JSON, of which each may have a megabyte. */
const textsAtOnce = 8;
const mostRemembered = 100_000;

type OnOwners = (owners: readonly StoredOwner[]) => Promise<void>;

/**
 * Reads users and addresses of all organizations, dimensions, quarantine and raw archive, then does `work` with them.
 * They are gathered in a temporary table: memory stays flat, however many there are.
 */
export async function withStoredOwners<Result>(
  reading: OwnersReading,
  work: (each: EachOwner) => Promise<Result>,
): Promise<Result> {
  return withSession(reading.pool, async ({ client }) => {
    await client.query('drop table if exists pg_temp.stored_owner');
    await client.query(`
      create temporary table stored_owner (
        digest bytea primary key,
        org_key integer not null,
        user_id text not null,
        email text
      )`);
    try {
      await readAll(reading, (owners) => gather(client, owners));
      return await work((onOwner) => eachGathered(client, onOwner));
    } finally {
      await client.query('drop table if exists pg_temp.stored_owner').catch(() => undefined);
    }
  });
}

/** The same without writing anything: for a server that is read-only. Everything is read anew each time it is asked for. */
export function rereadStoredOwners(reading: OwnersReading): EachOwner {
  return (onOwner) => readAll(reading, async (owners) => owners.forEach(onOwner));
}

/** Tells the users with their e-mails of the columns that have them, of all organizations. */
export async function readUsers(
  pool: pg.Pool,
  places: readonly PersonColumn[],
  onUsers: (users: readonly StoredOwner[]) => Promise<void>,
): Promise<void> {
  for (const { table, column, kind } of places)
    if (kind === 'email')
      await withTransaction(pool, ({ client }) =>
        eachRows(
          client,
          `select org_key as "orgKey", user_id as "userId", ${column} as email from ${table}`,
          [],
          rowsAtOnce,
          onUsers,
        ),
      );
}

async function readAll(reading: OwnersReading, onOwners: OnOwners): Promise<void> {
  const { pool, places, signal, readJson, openChunk } = reading;
  const onNew = unlessKnown(async (owners) => {
    signal.throwIfAborted();
    await onOwners(owners);
  });
  const ownersIn = (orgKey: number, json: string) => {
    const owners: StoredOwner[] = [];
    readJson(json, (userId, email) => owners.push({ orgKey, userId, email: email ?? null }));
    return owners;
  };
  await readUsers(pool, places, onNew);
  for (const { table, column, kind } of places)
    if (kind === 'json')
      await withTransaction(pool, ({ client }) =>
        eachRows<{ org_key: number; json: string }>(
          client,
          `select org_key, ${column}::text as json from ${table} where org_key is not null and ${column} is not null`,
          [],
          textsAtOnce,
          (rows) => onNew(rows.flatMap(({ org_key, json }) => ownersIn(org_key, json))),
        ),
      );
  for await (const { org_key, payload } of storedChunks(pool, signal)) {
    // What cannot be read tells nothing.
    const json = await openChunk(payload).catch(() => undefined);
    if (json !== undefined) await onNew(ownersIn(org_key, json));
  }
}

/** Hands on owners as they are stored, most of them once only. */
function unlessKnown(onOwners: OnOwners): OnOwners {
  const known = new Set<string>();
  return async (owners) => {
    const unknown = owners.map(storable).filter((owner) => {
      const key = digestOf(owner).toString('base64');
      if (known.has(key)) return false;
      if (known.size >= mostRemembered) known.clear();
      known.add(key);
      return true;
    });
    if (unknown.length > 0) await onOwners(unknown);
  };
}

function storable({ orgKey, userId, email: address }: StoredOwner): StoredOwner {
  const written = address?.trim() ?? '';
  const email = written === '' ? null : storableText(emailKey(written));
  return { orgKey, userId: storableText(userId), email };
}

function digestOf({ orgKey, userId, email }: StoredOwner): Buffer {
  return hash('sha256', JSON.stringify([orgKey, userId, email]), 'buffer');
}

async function gather(client: pg.ClientBase, owners: readonly StoredOwner[]): Promise<void> {
  await client.query(
    `insert into pg_temp.stored_owner (digest, org_key, user_id, email)
    select * from unnest($1::bytea[], $2::integer[], $3::text[], $4::text[])
    on conflict do nothing`,
    [
      owners.map(digestOf),
      owners.map(({ orgKey }) => orgKey),
      owners.map(({ userId }) => userId),
      owners.map(({ email }) => email),
    ],
  );
}

async function eachGathered(client: pg.ClientBase, onOwner: (owner: StoredOwner) => void): Promise<void> {
  for (let after = Buffer.alloc(0); ; ) {
    const { rows } = await client.query<StoredOwner & { digest: Buffer }>(
      `select digest, org_key as "orgKey", user_id as "userId", email
      from pg_temp.stored_owner where digest > $1 order by digest limit ${rowsAtOnce}`,
      [after],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    for (const row of rows) onOwner(row);
    after = Buffer.from(last.digest);
  }
}
