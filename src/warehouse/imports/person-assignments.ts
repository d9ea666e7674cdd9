/** The teams of persons over time: `warehouse.person_assignment`. */
import { sql } from 'kysely';
import type { Database, Session } from '../connection/connection.ts';
import { readQuery } from '../sql-files.ts';

/** A row of `warehouse.person_assignment`; either `userId` or `userEmail` names the person. */
export interface Assignment {
  readonly userId: string | null;
  readonly userEmail: string | null;
  readonly team: string;
  readonly department: string | null;
  readonly costCenter: string | null;
  readonly validFrom: string;
  /** The last day; null without an end. */
  readonly validTo: string | null;
}

/** A stored assignment. */
export interface HeldAssignment extends Assignment {
  readonly personDigest: Buffer;
}

/** A user of an organization: user id and e-mail as the platform reports them. */
export interface KnownUser {
  readonly userId: string;
  /** The e-mail; null when the platform reports none. */
  readonly userEmail: string | null;
}

/** All assignments of an organization. */
export async function readAssignments(db: Database, orgKey: number): Promise<HeldAssignment[]> {
  const rows = await db
    .selectFrom('warehouse.person_assignment')
    .select(['user_id', 'user_email', 'team', 'department', 'cost_center', 'person_digest'])
    .select([
      sql<string>`valid_from::text`.as('valid_from'),
      sql<string | null>`valid_to::text`.as('valid_to'),
    ])
    .where('org_key', '=', orgKey)
    .execute();
  return rows.map((row) => ({
    userId: row.user_id,
    userEmail: row.user_email,
    team: row.team,
    department: row.department,
    costCenter: row.cost_center,
    validFrom: row.valid_from,
    validTo: row.valid_to,
    personDigest: row.person_digest,
  }));
}

/** Every user of an organization. */
export async function readKnownUsers({ client }: Session, orgKey: number): Promise<KnownUser[]> {
  const { rows } = await client.query<{ user_id: string; user_email: string | null }>(
    readQuery('known_users'),
    [orgKey],
  );
  return rows.map((row) => ({ userId: row.user_id, userEmail: row.user_email }));
}

/** Deletes and inserts rows. */
export async function writeAssignments(
  db: Database,
  orgKey: number,
  removed: readonly HeldAssignment[],
  added: readonly Assignment[],
): Promise<void> {
  if (removed.length > 0)
    await sql`
      delete from warehouse.person_assignment
      where org_key = ${orgKey}
        and (person_digest, valid_from) in (
          select * from unnest(
            ${removed.map(({ personDigest }) => personDigest)}::bytea[],
            ${removed.map(({ validFrom }) => validFrom)}::date[]
          )
        )
    `.execute(db);
  if (added.length > 0)
    await sql`
      insert into warehouse.person_assignment (
        org_key, user_id, user_email, team, department, cost_center, valid_from, valid_to
      )
      select ${orgKey}, added.*
      from unnest(
        ${added.map(({ userId }) => userId)}::text[],
        ${added.map(({ userEmail }) => userEmail)}::text[],
        ${added.map(({ team }) => team)}::text[],
        ${added.map(({ department }) => department)}::text[],
        ${added.map(({ costCenter }) => costCenter)}::text[],
        ${added.map(({ validFrom }) => validFrom)}::date[],
        ${added.map(({ validTo }) => validTo)}::date[]
      ) as added
    `.execute(db);
}

/**
 * Copies the assignments by e-mail to the new id of the user, because the e-mail is removed. Copies nothing if the user
 * has assignments by id: those take precedence over assignments by e-mail.
 */
export async function assignById(
  db: Database,
  orgKey: number,
  email: string,
  before: string,
  userId: string,
): Promise<void> {
  await sql`
    insert into warehouse.person_assignment (
      org_key, user_id, team, department, cost_center, valid_from, valid_to
    )
    select a.org_key, ${userId}, a.team, a.department, a.cost_center, a.valid_from, a.valid_to
    from warehouse.person_assignment as a
    where a.org_key = ${orgKey}
      and a.user_id is null
      and lower(normalize(a.user_email)) = lower(normalize(${email}))
      and not exists (
        select
        from warehouse.person_assignment as by_id
        where by_id.org_key = ${orgKey}
          and by_id.user_id in (${before}, ${userId})
      )
    on conflict do nothing
  `.execute(db);
}
