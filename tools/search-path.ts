import { searchPath } from '../src/model/search-path.ts';

/**
 * Settings of a connection that finds nothing but what Postgres itself has, unless the schema is named, like those of the
 * program. As a start-up option: no pooler stands between tests and their servers.
 */
export const ownNamesOnly = { options: `-c search_path=${searchPath.replaceAll(' ', '')}` };
