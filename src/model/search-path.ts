/**
 * The search path of our connections. With Postgres' default, whoever may create functions in `public` or in a schema
 * named like our role could make us call their function instead of Postgres' own.
 */

/** Only a superuser may create objects in `pg_catalog`, and Postgres never looks for functions in `pg_temp`. */
export const searchPath = 'pg_catalog, pg_temp';

/**
 * The first statement of a connection. It names its schema, because the search path is not set yet. A start-up option
 * would also set the path, but poolers refuse such options.
 */
export const setSearchPath = `select pg_catalog.set_config('search_path', '${searchPath}', false)`;
