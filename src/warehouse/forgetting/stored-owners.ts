/** Who has or had which address, as far as anything that is stored says so. */
import { hash } from 'node:crypto';
import type pg from 'pg';
import { emailKey } from '../../model/email.ts';
import { storableText } from '../../model/json.ts';
import type { PersonColumn, PersonPlaces, PersonTable } from '../../model/person-places.ts';
import { type Session, withSession } from '../connection/connection.ts';
import { eachRow } from './read-pairs.ts';

/** A user of an organization; with an e-mail (as `emailKey` has it) that the user has or had, or without any. */
export interface StoredOwner {
  readonly orgKey: number;
  readonly userId: string;
  readonly email: string | null;
}

/** What is read, and how. */
export interface OwnersReading {
  readonly pool: pg.Pool;
  readonly places: PersonPlaces;
  readonly signal: AbortSignal;
  /** Tells the owners in a JSON text. */
  readonly readJson: (json: string, onOwner: (userId: string, email: string | undefined) => void) => void;
  /** The JSON text of a chunk of the archive. Throws for what cannot be read. */
  readonly openChunk: (payload: Buffer) => Promise<string>;
}

/** Tells each owner at least once per address, in no order; it may be asked again and again. */
export type EachOwner = (onOwner: (owner: StoredOwner) => void) => Promise<void>;

const rowsAtOnce = 5_000;
/** Rows of JSON, of which each may have a megabyte, or chunks of the archive. */
const textsAtOnce = 8;
const mostRemembered = 100_000;

/**
 * Reads users and addresses of all organizations, dimensions, quarantine and raw archive, then does `work` with them.
 * They are gathered in a temporary table: memory stays flat, however many there are.
 */
export async function withStoredOwners<Result>(
  reading: OwnersReading,
  work: (each: EachOwner) => Promise<Result>,
): Promise<Result> {
  return withSession(reading.pool, async (session) => {
    const gathering = await gatherIn(session);
    try {
      await readAll(reading, gathering);
      await gathering.flush();
      return await work((onOwner) => eachOwner(session, onOwner));
    } finally {
      await session.client.query('drop table if exists pg_temp.stored_owner').catch(() => undefined);
    }
  });
}

/** The same without writing anything: for a server that is read-only. Everything is read anew each time it is asked for. */
export function rereadStoredOwners(reading: OwnersReading): EachOwner {
  return (onOwner) =>
    readAll(reading, {
      add: unlessKnown((owner) => onOwner(owner)),
      makeRoom: async () => undefined,
    });
}

async function readAll(reading: OwnersReading, gathering: Gathering): Promise<void> {
  const { tables, columns } = reading.places;
  for (const table of tables) await readTable(reading, table, gathering);
  for (const column of columns) if (column.kind === 'json') await readColumn(reading, column, gathering);
  await readArchive(reading, gathering);
}

interface Gathering {
  add(orgKey: number, userId: string, email: string | undefined): void;
  /** Writes what was added, when it is much. */
  makeRoom(): Promise<void>;
}

/** Hands on owners, most of them once only, as they are stored; `digest` tells them apart. */
function unlessKnown(onOwner: (owner: StoredOwner, digest: Buffer) => void): Gathering['add'] {
  const known = new Set<string>();
  return (orgKey, userId, address) => {
    const written = address?.trim() ?? '';
    const email = written === '' ? null : storableText(emailKey(written));
    const owner = { orgKey, userId: storableText(userId), email };
    const digest = hash('sha256', JSON.stringify(owner), 'buffer');
    const key = digest.toString('base64');
    if (known.has(key)) return;
    if (known.size >= mostRemembered) known.clear();
    known.add(key);
    onOwner(owner, digest);
  };
}

async function gatherIn({ client }: Session): Promise<Gathering & { flush(): Promise<void> }> {
  await client.query('drop table if exists pg_temp.stored_owner');
  await client.query(`
    create temporary table stored_owner (
      digest bytea primary key,
      org_key integer not null,
      user_id text not null,
      email text
    )`);
  let owners: (StoredOwner & { readonly digest: Buffer })[] = [];
  const flush = async () => {
    if (owners.length === 0) return;
    await client.query(
      `insert into pg_temp.stored_owner (digest, org_key, user_id, email)
      select * from unnest($1::bytea[], $2::integer[], $3::text[], $4::text[])
      on conflict do nothing`,
      [
        owners.map(({ digest }) => digest),
        owners.map(({ orgKey }) => orgKey),
        owners.map(({ userId }) => userId),
        owners.map(({ email }) => email),
      ],
    );
    owners = [];
  };
  return {
    add: unlessKnown((owner, digest) => void owners.push({ ...owner, digest })),
    async makeRoom() {
      if (owners.length >= rowsAtOnce) await flush();
    },
    flush,
  };
}

/** Owners in a table that has user ids and addresses side by side. */
async function readTable(
  { pool, signal }: OwnersReading,
  { table, userId, email }: PersonTable,
  gathering: Gathering,
): Promise<void> {
  const query = `select org_key, ${userId} as user_id, ${email} as email from ${table} where ${userId} is not null`;
  await eachRow<{ org_key: number; user_id: string; email: string | null }>(
    pool,
    query,
    rowsAtOnce,
    async (rows) => {
      signal.throwIfAborted();
      for (const { org_key, user_id, email: address } of rows)
        gathering.add(org_key, user_id, address ?? undefined);
      await gathering.makeRoom();
    },
  );
}

/** Owners in a column with JSON, where its rows are of an organization. */
async function readColumn(
  { pool, signal, readJson }: OwnersReading,
  { table, column }: PersonColumn,
  gathering: Gathering,
): Promise<void> {
  const { rows: columns } = await withSession(pool, ({ client }) =>
    client.query(
      "select from pg_catalog.pg_attribute where attrelid = $1::pg_catalog.regclass and attname = 'org_key' and not attisdropped",
      [table],
    ),
  );
  if (columns.length === 0) return;
  const query = `select org_key, ${column}::text as json from ${table} where org_key is not null and ${column} is not null`;
  await eachRow<{ org_key: number; json: string }>(pool, query, textsAtOnce, async (rows) => {
    signal.throwIfAborted();
    for (const { org_key, json } of rows)
      readJson(json, (userId, email) => gathering.add(org_key, userId, email));
    await gathering.makeRoom();
  });
}

/** Owners in the raw archive. What cannot be read tells nothing. */
async function readArchive({ pool, signal, readJson, openChunk }: OwnersReading, gathering: Gathering) {
  let after: readonly [number, string, string, number] = [-1, '', '', -1];
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await withSession(pool, ({ client }) =>
      client.query<{
        org_key: number;
        endpoint: string;
        slice_key: string;
        chunk: number;
        payload: Buffer;
      }>(
        `select org_key, endpoint, slice_key, chunk, payload
        from etl.raw_slice
        where (org_key, endpoint, slice_key, chunk) > ($1::integer, $2, $3, $4::integer)
        order by org_key, endpoint, slice_key, chunk
        limit ${textsAtOnce}`,
        [...after],
      ),
    );
    if (rows.length === 0) return;
    for (const { org_key, endpoint, slice_key, chunk, payload } of rows) {
      after = [org_key, endpoint, slice_key, chunk];
      const json = await openChunk(payload).catch(() => undefined);
      if (json !== undefined) readJson(json, (userId, email) => gathering.add(org_key, userId, email));
      await gathering.makeRoom();
    }
  }
}

async function eachOwner({ client }: Session, onOwner: (owner: StoredOwner) => void): Promise<void> {
  let after = Buffer.alloc(0);
  for (;;) {
    const { rows } = await client.query<{
      digest: Buffer;
      org_key: number;
      user_id: string;
      email: string | null;
    }>(
      `select digest, org_key, user_id, email from pg_temp.stored_owner where digest > $1 order by digest limit ${rowsAtOnce}`,
      [after],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    for (const { org_key, user_id, email } of rows) onOwner({ orgKey: org_key, userId: user_id, email });
    after = Buffer.from(last.digest);
  }
}
