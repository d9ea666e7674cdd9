/** E-mail addresses in the dimensions of an organization. */
import { sql } from 'kysely';
import type { Dimension } from '../../model/table.ts';
import { type Database, isUniqueViolation } from '../connection/connection.ts';
import { followingsOf } from './attributes.ts';

/**
 * Clears the attributes that are addresses, and renames as `rename` says what has an address in another attribute or in
 * its natural key. Its surrogate key stays, so that no fact changes.
 */
export async function withholdEmailsOfDimension(
  db: Database,
  orgKey: number,
  dimension: Dimension,
  rename: (name: string) => string,
): Promise<void> {
  const table = sql.table(`warehouse.${dimension.table}`);
  const ofOrganization = dimension.perOrganization ? sql`org_key = ${orgKey}` : sql`true`;
  for (const following of followingsOf(dimension))
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
  for (const column of named.map((name) => sql.ref(name))) {
    const { rows } = await sql<{ key: number; name: string }>`
      select ${sql.ref(dimension.key)} as key, ${column} as name from ${table}
      where ${ofOrganization} and position('@' in ${column}) > 0
    `.execute(db);
    for (const { key, name } of rows) {
      const renamed = rename(name);
      const set = (to: string) =>
        sql`update ${table} set ${column} = ${to} where ${sql.ref(dimension.key)} = ${key}`.execute(db);
      if (renamed === name) continue;
      try {
        await set(renamed);
      } catch (error) {
        // Addresses were withheld before, and then were not: the new name is taken, by what was loaded meanwhile. Or two
        // persons read one repository, whose address means the same with a fragment.
        if (!isUniqueViolation(error)) throw error;
        await set(`${renamed}#${key}`);
      }
    }
  }
}
