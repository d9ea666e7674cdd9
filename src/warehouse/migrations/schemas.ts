/** The schemas of the warehouse, made before anything in them is looked at. */
import type pg from 'pg';
import { codeOf } from '../../model/error-code.ts';
import { ownSchemas } from '../connection/trusted-roles.ts';

/** Somebody else made one of them meanwhile. */
const alreadyThere = ['42P06', '23505'];

/**
 * Makes those that are missing. Waits for whoever makes one at this moment: its owner is then in the catalog, where the
 * next look finds it.
 */
export async function makeSchemas(client: pg.ClientBase): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ name: string }>(
      `select wanted.name
      from pg_catalog.unnest($1::text[]) as wanted (name)
      where not exists (select from pg_catalog.pg_namespace as namespace where namespace.nspname = wanted.name)`,
      [ownSchemas],
    );
    if (rows.length === 0) return;
    try {
      // In one transaction.
      await client.query(rows.map(({ name }) => `create schema ${name}`).join('; '));
      return;
    } catch (error) {
      if (!alreadyThere.includes(codeOf(error) ?? '')) throw error;
    }
  }
}
