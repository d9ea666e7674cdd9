/**
 * Checks who owns the schemas of the warehouse and the objects in them. A trigger, a default or a policy runs with
 * the rights of the role that uses the table, so another role's object could misuse ours. So the program checks all
 * objects before it uses any. One check is enough: no other role may create such an object in our schemas or on our
 * tables later.
 */
import type pg from 'pg';
import { ConfigurationError } from '../../model/errors.ts';
import { inShell } from '../../model/installation.ts';
import { foreignThingsInSql } from './foreign-things.ts';
import { quickCheckInSql } from './quick-check.ts';
import { ownSchemas } from './trusted-roles.ts';

const mostNamed = 5;

interface ForeignThing {
  /** Our own role. */
  readonly role: string;
  readonly thing: string;
  /** Null: the object has no owner of its own. */
  readonly owner: string | null;
  /** The statement that removes it; null if there is none. */
  readonly remedy: string | null;
}

/**
 * Throws `ConfigurationError` if an object in our schemas, or one that runs when our tables are used, belongs to a
 * role that is not trusted (`trusted-roles.ts`), or if such a role may create such an object. Reads only the catalog.
 * `isThorough` also checks the functions that our own objects call. Returns which of our schemas exist. Do not read
 * from one that is missing: anybody may create it a moment later.
 */
export async function refuseForeignOwners(
  client: pg.ClientBase,
  { isThorough = false }: { readonly isThorough?: boolean } = {},
): Promise<ReadonlySet<string>> {
  const { rows: checks } = await client.query<{ schemas: string[]; is_odd: boolean }>(quickCheckInSql);
  const [check] = checks;
  if (isThorough || check?.is_odd !== false) {
    const { rows } = await client.query<ForeignThing>(foreignThingsInSql);
    if (rows.length > 0) throw foreignThings(rows);
  }
  return new Set(check?.schemas);
}

/** Throws `ConfigurationError` if one of our schemas is missing from `there`. */
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
  const more = remedies.length > mostNamed ? ' and the statements for the others' : '';
  const next =
    statements.length > 0
      ? `let an administrator run \`${statements.join(' ')}\`${more}, and find out who made this`
      : 'use the role that made the warehouse, or find out who made this, and drop it';
  return new ConfigurationError([
    `DATABASE_URL: expected everything in the schemas of the warehouse to belong to role ${found[0]?.role}, to a role that it is ` +
      `a member of, or to a superuser, got ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}; none of this was ` +
      `used; ${next}; see SECURITY.md`,
  ]);
}
