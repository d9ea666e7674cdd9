/** Reads and writes the names of forgotten persons, and which organizations were searched for them. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { type ForgottenName, type NameKind, nameKinds } from '../../model/forgotten-names.ts';
import type { ForgottenPersons } from '../../model/forgotten-persons.ts';
import type { Database } from '../connection/connection.ts';

const bytesOfKey = 32;

/**
 * Adds to `persons` the stored names, and the key of the digests that replace withheld addresses; returns whether anybody
 * was ever forgotten.
 */
export async function readForgotten(db: Database, persons: ForgottenPersons): Promise<boolean> {
  const { key } = await db.selectFrom('etl.address_key').select('key').executeTakeFirstOrThrow();
  persons.useAddressKey(key);
  const kept = await db.selectFrom('etl.forgotten_key').select('key').executeTakeFirst();
  if (kept === undefined) return false;
  const names = await db.selectFrom('etl.forgotten_name').select(['kind', 'digest']).execute();
  persons.know(
    kept.key,
    names.map(({ kind, digest }) => ({ kind: kindOf(kind), digest })),
  );
  return true;
}

/** Like `readForgotten`, for a person to be forgotten: creates the key of the digests of names if there is none. */
export async function readForgottenWithKey(db: Database, persons: ForgottenPersons): Promise<void> {
  await db
    .insertInto('etl.forgotten_key')
    .values({ key: randomBytes(bytesOfKey) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await readForgotten(db, persons);
}

/** Stores names of forgotten persons. */
export async function keepForgotten(db: Database, names: readonly ForgottenName[]): Promise<void> {
  if (names.length === 0) return;
  await db
    .insertInto('etl.forgotten_name')
    .values(names.map(({ kind, digest }) => ({ kind, digest })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Whether names were stored since the data of an organization was last searched for them. */
export async function isSearchPending(db: Database, orgKey: number): Promise<boolean> {
  const { rows } = await sql<{ is_pending: boolean }>`
    select
      (select count(*) from etl.forgotten_name)
        <> coalesce((select names from etl.forgotten_in where org_key = ${orgKey}), 0) as is_pending
  `.execute(db);
  return rows[0]?.is_pending === true;
}

/** Records that the data of organizations was searched for so many names, and holds none of them any more. */
export async function recordSearch(db: Database, orgKeys: readonly number[], names: number): Promise<void> {
  if (orgKeys.length === 0) return;
  await db
    .insertInto('etl.forgotten_in')
    .values(orgKeys.map((org_key) => ({ org_key, names })))
    .onConflict((conflict) =>
      conflict
        .column('org_key')
        .doUpdateSet((eb) => ({ names: eb.ref('excluded.names'), finished_at: sql<Date>`now()` })),
    )
    .execute();
}

function kindOf(kind: string): NameKind {
  const known = nameKinds.find((each) => each === kind);
  if (known !== undefined) return known;
  throw new TypeError(`expected one of ${nameKinds.join(', ')} in etl.forgotten_name, got ${kind}`);
}
