/** Creates the roles that read the views, and grants them the views. */
import type pg from 'pg';
import { codeOf } from '../../model/error-code.ts';
import { isMissingRight } from '../connection/connection-problem.ts';
import { isLockTimeout } from '../connection/limit-problem.ts';
import { membersBeforehand, readerProblems } from './reader-problems.ts';
import { ownReaders, type Reader } from './reader-roles.ts';

/** SQLSTATEs of a role that exists already: a session in another database of the server created it meanwhile. */
const alreadyThere = ['42710', '23505'];
/** SQLSTATE of a membership that would be circular. */
const isCircular = '0LP01';

/**
 * Creates the missing roles and grants the missing rights, within the open transaction. It takes nothing away from a role.
 * Returns warnings that say what could not be done and which statements an administrator must run; `migrate` goes on
 * without it.
 */
export async function grantToReaders(
  client: pg.ClientBase,
  readers: readonly Reader[] = ownReaders,
): Promise<string[]> {
  const warnings: string[] = [];
  const statements: string[] = [];
  for (const { name, memberOf } of readers) {
    if (!(await exists(client, name))) {
      if (!(await attempt(client, `create role ${name} nologin`)) && !(await exists(client, name))) {
        statements.push(`create role ${name} nologin;`);
        if (memberOf !== undefined) statements.push(`grant ${memberOf} to ${name};`);
        continue;
      }
    }
    if (memberOf === undefined || !(await exists(client, memberOf))) continue;
    if (!(await isMember(client, name, memberOf)) && !(await attempt(client, `grant ${memberOf} to ${name}`)))
      statements.push(
        ...((await isMember(client, memberOf, name)) ? [`revoke ${name} from ${memberOf};`] : []),
        `grant ${memberOf} to ${name};`,
      );
  }
  if (statements.length > 0)
    warnings.push(
      `this role may not create the roles that read the views; let an administrator run \`${statements.join(' ')}\`, ` +
        'then run migrate again; see SECURITY.md',
    );
  const missing: string[] = [];
  for (const reader of readers) {
    if (!(await exists(client, reader.name))) continue;
    const lacking = await missingGrants(client, reader);
    if (lacking.some((statement) => statement.startsWith('grant usage'))) {
      const members = await membersBeforehand(client, reader, readers);
      if (members !== undefined) warnings.push(members);
    }
    for (const statement of lacking) await attempt(client, statement);
    missing.push(...(await missingGrants(client, reader)));
  }
  if (missing.length > 0)
    warnings.push(
      `this role may not grant the rights that the roles for reading views lack; let an administrator run \`${missing.map((statement) => `${statement};`).join(' ')}\`; see SECURITY.md`,
    );
  warnings.push(...(await readerProblems(client, readers)));
  return warnings;
}

async function exists(client: pg.ClientBase, role: string): Promise<boolean> {
  return (await client.query('select from pg_catalog.pg_roles where rolname = $1', [role])).rowCount !== 0;
}

async function isMember(client: pg.ClientBase, role: string, of: string): Promise<boolean> {
  const { rows } = await client.query<{ is_member: boolean }>(
    `select pg_catalog.pg_has_role($1, $2, 'member') as is_member`,
    [role, of],
  );
  return rows[0]?.is_member === true;
}

/** Runs a statement; returns false, and changes nothing, when it is not allowed or not possible. */
async function attempt(client: pg.ClientBase, statement: string): Promise<boolean> {
  await client.query('savepoint before_grant');
  try {
    await client.query(statement);
    await client.query('release savepoint before_grant');
    return true;
  } catch (error) {
    await client.query('rollback to savepoint before_grant');
    const code = codeOf(error) ?? '';
    // Roles belong to the whole server, so a session in another database may block their creation for long.
    if (isMissingRight(error) || isLockTimeout(error) || code === isCircular || alreadyThere.includes(code))
      return false;
    throw error;
  }
}

/** The grants that a role lacks, as statements. */
async function missingGrants(client: pg.ClientBase, { name, schemas }: Reader): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `select pg_catalog.format('grant usage on schema %I to %I', nspname, $1::text) as statement
    from pg_catalog.pg_namespace
    where nspname = any ($2) and not pg_catalog.has_schema_privilege($1, oid, 'usage')
    union all
    select pg_catalog.format('grant select on %I.%I to %I', namespace.nspname, relation.relname, $1::text)
    from pg_catalog.pg_class as relation
    join pg_catalog.pg_namespace as namespace on namespace.oid = relation.relnamespace
    where namespace.nspname = any ($2)
      and relation.relkind = 'v'
      and pg_catalog.pg_has_role(relation.relowner, 'usage')
      and not pg_catalog.has_table_privilege($1, relation.oid, 'select')
    order by statement`,
    [name, schemas],
  );
  return rows.map(({ statement }) => statement);
}
