import { searchPath } from '../src/model/search-path.ts';

/**
 * Connection settings with the same search path as the program: without a schema, only names of Postgres itself are
 * found. The path is set by a start-up option, which is possible because tests use no pooler.
 */
export const ownNamesOnly = { options: `-c search_path=${searchPath.replaceAll(' ', '')}` };
