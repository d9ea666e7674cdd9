/** Where the SQL that Postgres runs lies: the same place for the sources and for the bundle. */
import { fileURLToPath } from 'node:url';

/** The directory with `migrations/`, `views/`, `questions/`, `queries/`, `checks/`, `reconciliations/` and `demo/`. */
export const sqlDirectory = fileURLToPath(new URL('../../sql', import.meta.url));
