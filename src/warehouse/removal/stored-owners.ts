/** Finds in all stored data which user has or had which e-mail address. */
import { hash } from 'node:crypto';
import type pg from 'pg';
import { emailKey } from '../../model/email.ts';
import { ownerFields } from '../../model/forgotten-persons.ts';
import { storableText } from '../../model/json.ts';
import { readOwners } from '../../model/json-strings.ts';
import type { PersonColumn } from '../../model/person-places.ts';
import { chunkText } from '../../model/record-chunk.ts';
import { type Session, withSession, withTransaction } from '../connection/connection.ts';
import { retryOnConnectionLoss } from '../connection/reconnect.ts';
import { batchSize } from './batch-size.ts';
import { storedChunks } from './rewrite-archive.ts';
import { eachRows } from './rewrite-column.ts';

/** A user of an organization, with an e-mail (from `emailKey`) that the user has or had; null for a user without one. */
export interface StoredOwner {
  readonly orgKey: number;
  readonly userId: string;
  readonly email: string | null;
}

/** Calls `onOwner` for each user and address, in any order, at least once. The function itself may be called again. */
export type EachOwner = (onOwner: (owner: StoredOwner) => void) => Promise<void>;

const rowsAtOnce = 5_000;
/** Rows of JSON that are read at a time where it is long; each may have a megabyte. */
const leastTextsAtOnce = 8;
const mostRemembered = 100_000;

type OnOwners = (owners: readonly StoredOwner[]) => Promise<void>;

/**
 * Does `work` with the users and addresses of all organizations, from dimensions, quarantine and raw archive. They are
 * gathered in a temporary table, so that any number of them takes the same memory.
 */
export function withStoredOwners<Result>(
  pool: pg.Pool,
  places: readonly PersonColumn[],
  signal: AbortSignal,
  work: (each: EachOwner) => Promise<Result>,
): Promise<Result> {
  const gathered = async ({ client, db }: Session) => {
    await client.query('drop table if exists pg_temp.stored_owner');
    await client.query(`
      create temporary table stored_owner (
        digest bytea primary key,
        org_key integer not null,
        user_id text not null,
        email text
      )`);
    try {
      await readAll(pool, places, signal, (owners) => gather(client, owners));
      const query = 'select org_key as "orgKey", user_id as "userId", email from pg_temp.stored_owner';
      return await work((onOwner) =>
        db
          .transaction()
          .execute(() =>
            eachRows<StoredOwner>(client, query, [], rowsAtOnce, async (owners) => owners.forEach(onOwner)),
          ),
      );
    } finally {
      await client.query('drop table if exists pg_temp.stored_owner').catch(() => undefined);
    }
  };
  return retryOnConnectionLoss(pool, signal, () => withSession(pool, gathered));
}

/**
 * Like `withStoredOwners`, for a read-only server: writes nothing, not even a temporary table. Each call of `each` reads
 * all data again, and `work` starts again after a lost connection.
 */
export function withOwnersReadOnly<Result>(
  pool: pg.Pool,
  places: readonly PersonColumn[],
  signal: AbortSignal,
  work: (each: EachOwner) => Promise<Result>,
): Promise<Result> {
  const each: EachOwner = (onOwner) =>
    readAll(pool, places, signal, async (owners) => owners.forEach(onOwner));
  return retryOnConnectionLoss(pool, signal, () => work(each));
}

/** Calls `onUsers` with the users of all organizations and their e-mails, from the columns of kind `email`. */
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

async function readAll(
  pool: pg.Pool,
  places: readonly PersonColumn[],
  signal: AbortSignal,
  onOwners: OnOwners,
): Promise<void> {
  const onNew = unlessKnown(async (owners) => {
    signal.throwIfAborted();
    await onOwners(owners);
  });
  const ownersIn = (orgKey: number, json: string) => {
    const owners: StoredOwner[] = [];
    readOwners(json, ownerFields, ({ id, address }) =>
      owners.push({ orgKey, userId: id, email: address ?? null }),
    );
    return owners;
  };
  await readUsers(pool, places, onNew);
  for (const { table, column, kind } of places)
    if (kind === 'json')
      await withTransaction(pool, async ({ client }) =>
        eachRows<{ org_key: number; json: string }>(
          client,
          `select org_key, ${column}::text as json from ${table} where org_key is not null and ${column} is not null`,
          [],
          await batchSize(client, table, column, leastTextsAtOnce),
          (rows) => onNew(rows.flatMap(({ org_key, json }) => ownersIn(org_key, json))),
        ),
      );
  for await (const { org_key, payload } of storedChunks(pool, signal)) {
    // A chunk that cannot be read is left out.
    const json = await chunkText(payload).catch(() => undefined);
    if (json !== undefined) await onNew(ownersIn(org_key, json));
  }
}

/** Passes owners on in the form that is stored. Leaves out owners that it has passed on, as far as it remembers them. */
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
