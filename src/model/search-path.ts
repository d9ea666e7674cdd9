/**
 * Where names without a schema are looked for. Whoever may create in `public`, or a schema named like our role, could
 * else put a function there that fits a call of ours better than the one of Postgres, and we would run it.
 */

/** Nobody but a superuser creates in the first; the second is the session's own, and no function is looked for there. */
export const searchPath = 'pg_catalog, pg_temp';

/**
 * The first statement of a connection. It names the schema of all that it calls, and calls it exactly. A start-up
 * option would do the same, but poolers refuse those.
 */
export const setSearchPath = `select pg_catalog.set_config('search_path', '${searchPath}', false)`;
