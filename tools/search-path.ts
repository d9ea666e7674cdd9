import { searchPath } from '../src/model/search-path.ts';

/**
 * Connection settings with the same search path as the program: only names of Postgres itself are found without a
 * schema. A start-up option, because there is no pooler between tests and their servers.
 */
export const ownNamesOnly = { options: `-c search_path=${searchPath.replaceAll(' ', '')}` };
