/** The directory of the SQL files; it is the same for the sources and for the bundle. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory with `migrations/`, `views/`, `questions/`, `queries/`, `checks/`, `reconciliations/` and `demo/`. */
export const sqlDirectory = fileURLToPath(new URL('../../sql', import.meta.url));

/** The text of a query in `sql/queries`. Only SQL files name the tables of sources, no code does. */
export function readQuery(name: string): string {
  return readFileSync(join(sqlDirectory, 'queries', `${name}.sql`), 'utf8');
}
