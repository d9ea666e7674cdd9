/**
 * The search path of our connections. Whoever may create functions in `public`, or in a schema named like our role,
 * could otherwise make us call a function of theirs in place of one of Postgres.
 */

/** Only a superuser creates in the first schema; Postgres never looks for functions in the second. */
export const searchPath = 'pg_catalog, pg_temp';

/**
 * The first statement of a connection. It names schemas explicitly. A start-up option would do the same, but poolers
 * refuse those.
 */
export const setSearchPath = `select pg_catalog.set_config('search_path', '${searchPath}', false)`;
