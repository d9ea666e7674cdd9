/** Finds rights of the reader roles that `migrate` did not give them: somebody else created or changed the roles. */
import type pg from 'pg';
import { trustedRolesInSql } from '../connection/trusted-roles.ts';
import { ownReaders, type Reader } from './reader-roles.ts';

const mostNamed = 5;

/** One sentence for each reader that is more than a group without login, with what to do about it. */
export async function readerProblems(
  client: pg.ClientBase,
  readers: readonly Reader[] = ownReaders,
): Promise<string[]> {
  const { rows } = await client.query<{ name: string; quoted: string; attributes: string[]; of: string[] }>(
    `select
      reader.rolname::text as name,
      pg_catalog.quote_ident(reader.rolname) as quoted,
      pg_catalog.array_remove(array[
        case when reader.rolcanlogin then 'login' end,
        case when reader.rolsuper then 'superuser' end,
        case when reader.rolcreaterole then 'createrole' end,
        case when reader.rolcreatedb then 'createdb' end,
        case when reader.rolreplication then 'replication' end,
        case when reader.rolbypassrls then 'bypassrls' end
      ], null) as attributes,
      array(
        select distinct pg_catalog.quote_ident(role.rolname)
        from pg_catalog.pg_auth_members as membership
        join pg_catalog.pg_roles as role on role.oid = membership.roleid
        where membership.member = reader.oid
        order by 1
      ) as of
    from pg_catalog.pg_roles as reader
    where reader.rolname = any ($1)
    order by reader.rolname`,
    [readers.map(({ name }) => name)],
  );
  return rows.flatMap(({ name, quoted, attributes, of }) => {
    const meant = readers.find((reader) => reader.name === name)?.memberOf;
    const others = of.filter((role) => role !== meant);
    const statements = [
      ...(attributes.length > 0 ? [`alter role ${quoted} no${attributes.join(' no')};`] : []),
      ...(others.length > 0 ? [`revoke ${shortened(others)} from ${quoted};`] : []),
    ];
    if (statements.length === 0) return [];
    const has = [
      ...(attributes.length > 0 ? [`the attributes ${attributes.join(', ')}`] : []),
      ...(others.length > 0 ? [`the rights of ${shortened(others)}`] : []),
    ];
    return [
      `role ${quoted} should read views and nothing else, but has ${has.join(' and ')}; migrate did not give that; ` +
        `let an administrator run \`${statements.join(' ')}\`; see SECURITY.md`,
    ];
  });
}

/**
 * A sentence about the members of a role that existed before `migrate` granted it anything: they can read the views from
 * now on. Undefined when all members are trusted.
 */
export async function membersBeforehand(
  client: pg.ClientBase,
  { name, schemas }: Reader,
  readers: readonly Reader[],
): Promise<string | undefined> {
  const { rows } = await client.query<{ members: string[] }>(
    `${trustedRolesInSql}
    select array(
      select distinct pg_catalog.quote_ident(member.rolname)
      from pg_catalog.pg_auth_members as membership
      join pg_catalog.pg_roles as role on role.oid = membership.roleid
      join pg_catalog.pg_roles as member on member.oid = membership.member
      where role.rolname = $1 and member.rolname <> all ($2) and member.oid not in (select trusted.oid from trusted)
      order by 1
    ) as members`,
    [name, readers.map((reader) => reader.name)],
  );
  const members = rows[0]?.members ?? [];
  if (members.length === 0) return undefined;
  return (
    `role ${name} was there before this warehouse; its members now read ${schemas.join(' and ')}: ` +
    `${shortened(members)}; let an administrator run \`revoke ${name} from …;\` for members that should not; see SECURITY.md`
  );
}

function shortened(names: readonly string[]): string {
  const rest = names.length - mostNamed;
  return rest > 0 ? `${names.slice(0, mostNamed).join(', ')} and ${rest} more` : names.join(', ');
}
