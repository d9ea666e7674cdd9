/** E-mail addresses in the dimensions of an organization. */
import { sql } from 'kysely';
import { mayHoldAddress } from '../../model/address-pattern.ts';
import type { Dimension } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';
import { isUniqueViolation } from '../connection/database-error.ts';
import { attributeSetsOf } from '../load/attributes.ts';

/**
 * Clears the attributes that are addresses, and renames as `rename` says what has an address in another attribute or in
 * its natural key. Its surrogate key stays, so that no fact changes.
 */
export async function withholdEmailsOfDimension(
  db: Database,
  orgKey: number,
  dimension: Dimension,
  rename: (name: string, column: string) => string,
): Promise<void> {
  const table = sql.table(`warehouse.${dimension.table}`);
  const ofOrganization = dimension.perOrganization ? sql`org_key = ${orgKey}` : sql`true`;
  for (const following of attributeSetsOf(dimension))
    for (const { column } of following.attributes.filter(({ isEmail }) => isEmail === true)) {
      const nothing = [column, following.dateColumn, following.endpointColumn].map(
        (name) => sql`${sql.ref(name)} = null`,
      );
      await sql`
        update ${table} set ${sql.join(nothing)}
        where ${ofOrganization} and ${sql.ref(column)} is not null
      `.execute(db);
    }
  const texts = dimension.attributes.filter(({ type, isEmail }) => type === 'text' && isEmail !== true);
  const named = [...dimension.naturalKey, ...texts.map(({ column }) => column)];
  const key = sql.ref(dimension.key);
  for (const name of named) {
    const column = sql.ref(name);
    const set = (to: string, of: number) =>
      sql`update ${table} set ${column} = ${to} where ${key} = ${of}`.execute(db);
    for await (const row of addressed(db, orgKey, dimension, name)) {
      const renamed = rename(row.name, name);
      if (renamed === row.name) continue;
      try {
        await set(renamed, row.key);
      } catch (error) {
        // Addresses were withheld before, and then were not: the new name is taken, by what was loaded meanwhile. Or two
        // persons read one repository, whose address means the same with a fragment.
        if (!isUniqueViolation(error)) throw error;
        await set(`${renamed}#${row.key}`, row.key);
      }
    }
  }
}

/** Names may have any length. */
const namesAtOnce = 100;

/** The rows in which a column may hold an address, a bounded number at a time. */
async function* addressed(
  db: Database,
  orgKey: number,
  dimension: Dimension,
  column: string,
): AsyncGenerator<{ readonly key: number; readonly name: string }> {
  const [key, name] = [sql.ref(dimension.key), sql.ref(column)];
  const ofOrganization = dimension.perOrganization ? sql`org_key = ${orgKey}` : sql`true`;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { rows }: { rows: { key: number; name: string }[] } = await sql<{ key: number; name: string }>`
      select ${key} as key, ${name} as name from ${sql.table(`warehouse.${dimension.table}`)}
      where ${ofOrganization} and ${key} > ${after} and ${name} ~* ${mayHoldAddress}
      order by ${key}
      limit ${namesAtOnce}
    `.execute(db);
    yield* rows;
    after = rows.at(-1)?.key;
  }
}
