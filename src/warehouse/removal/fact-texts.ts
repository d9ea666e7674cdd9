/** Texts in the facts of an organization that nobody may keep any more. */
import { sql } from 'kysely';
import type { StoredTable } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';

/** Makes the columns of a table null that hold such texts, and has the planner forget them; nothing else changes. */
export async function withholdTextsOfTable(db: Database, orgKey: number, table: StoredTable): Promise<void> {
  const columns = table.values.flatMap(({ column, isPrivate }) => (isPrivate ? [sql.ref(column)] : []));
  if (columns.length === 0) return;
  const nothing = columns.map((column) => sql`${column} = null`);
  const held = columns.map((column) => sql`${column} is not null`);
  const stored = sql.table(`warehouse.${table.name}`);
  await sql`
    update ${stored} set ${sql.join(nothing)}, loaded_at = now()
    where org_key = ${orgKey} and (${sql.join(held, sql` or `)})
  `.execute(db);
  await sql`analyze ${stored} (${sql.join(columns)})`.execute(db);
}
