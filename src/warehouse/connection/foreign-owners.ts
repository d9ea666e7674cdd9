/**
 * Whose the schemas of the warehouse are, and what is in them. A trigger, a default or a policy runs as whoever uses the
 * table, and could do with our role what it likes. So all of it is looked at before it is used. One look is enough:
 * nobody else has a right to make such a thing in our schemas or on our tables later.
 */
import type pg from 'pg';
import { ConfigurationError } from '../../model/errors.ts';
import { inShell } from '../../model/installation.ts';
import { foreignThingsInSql } from './foreign-things.ts';
import { quickLookInSql } from './quick-look.ts';
import { ownSchemas } from './trusted-roles.ts';

const mostNamed = 5;

interface ForeignThing {
  /** Ours. */
  readonly role: string;
  readonly thing: string;
  /** Null: it has none. */
  readonly owner: string | null;
  /** The statement that takes it away, where there is one. */
  readonly remedy: string | null;
}

/**
 * Throws `ConfigurationError` that names what is in our schemas, or is run by who uses our tables, and belongs to a role that
 * is neither ours, nor one that ours is a member of, nor a superuser; rights to make such things, too. Reads the catalog
 * alone. `isThorough` asks also what our own things call. Returns which of our schemas were there: another one
 * may have been made by anybody a moment later, so that nothing is to be read from it.
 */
export async function refuseForeignOwners(
  client: pg.ClientBase,
  { isThorough = false }: { readonly isThorough?: boolean } = {},
): Promise<ReadonlySet<string>> {
  const { rows: looks } = await client.query<{ schemas: string[]; is_odd: boolean }>(quickLookInSql);
  const [look] = looks;
  if (isThorough || look?.is_odd !== false) {
    const { rows } = await client.query<ForeignThing>(foreignThingsInSql);
    if (rows.length > 0) throw foreignThings(rows);
  }
  return new Set(look?.schemas);
}

/** Throws `ConfigurationError` when a schema of ours is not among those that were there. */
export function refuseMissingSchemas(there: ReadonlySet<string>): void {
  const missing = ownSchemas.filter((name) => !there.has(name));
  if (missing.length > 0)
    throw new ConfigurationError([
      `DATABASE_URL: the database lacks the schema ${missing.join(', ')}; run \`${inShell('migrate')}\` first`,
    ]);
}

function foreignThings(found: readonly ForeignThing[]): ConfigurationError {
  const named = found
    .slice(0, mostNamed)
    .map(({ thing, owner }) => (owner === null ? thing : `${thing} (of role ${owner})`));
  const rest = found.length - named.length;
  const remedies = [...new Set(found.flatMap(({ remedy }) => remedy ?? []))];
  const statements = remedies.slice(0, mostNamed).map((remedy) => `${remedy};`);
  const more = remedies.length > mostNamed ? ' and what is named after that' : '';
  const next =
    statements.length > 0
      ? `let an administrator run \`${statements.join(' ')}\`${more}, and find out who made this`
      : 'use the role that made the warehouse, or find out who made this, and drop it';
  return new ConfigurationError([
    `DATABASE_URL: expected what is in the schemas of the warehouse to belong to role ${found[0]?.role}, to a role that it is ` +
      `a member of, or to a superuser, got ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}; nothing of it was ` +
      `used; ${next}; see SECURITY.md`,
  ]);
}
