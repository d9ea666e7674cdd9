/** Creates the schemas of the warehouse, before anything in them is read. */
import type pg from 'pg';
import { codeOf } from '../../model/error-code.ts';
import { ownSchemas } from '../connection/trusted-roles.ts';

/** SQLSTATEs of a schema that exists already: another session created it meanwhile. */
const alreadyThere = ['42P06', '23505'];

/**
 * Creates the missing schemas. If another session is creating one, waits for its commit: then the catalog shows the owner
 * of the schema, which the caller checks next.
 */
export async function makeSchemas(
  client: pg.ClientBase,
  schemas: readonly string[] = ownSchemas,
): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ name: string }>(
      `select wanted.name
      from pg_catalog.unnest($1::text[]) as wanted (name)
      where not exists (select from pg_catalog.pg_namespace as namespace where namespace.nspname = wanted.name)`,
      [schemas],
    );
    if (rows.length === 0) return;
    try {
      // All statements go in one query, so they are one transaction.
      await client.query(rows.map(({ name }) => `create schema ${name}`).join('; '));
      return;
    } catch (error) {
      if (!alreadyThere.includes(codeOf(error) ?? '')) throw error;
    }
  }
}
