/** `people import`: the periods of a file replace all periods of the same persons in the warehouse. */
import type { Config } from '../../model/config.ts';
import { emailKey } from '../../model/email.ts';
import { closedPeriods, type PersonLine } from '../../model/imports/people-file.ts';
import { storableText } from '../../model/json.ts';
import type { RowChanges } from '../../model/run.ts';
import type { RunReport } from '../../model/run-report.ts';
import { type Session, withSession, withTransaction } from '../../warehouse/connection/connection.ts';
import {
  type Assignment,
  type HeldAssignment,
  readAssignments,
  readKnownUsers,
  writeAssignments,
} from '../../warehouse/imports/person-assignments.ts';
import { type RowReplacement, replacementOf } from '../../warehouse/imports/row-changes.ts';
import { sumCreditsOfChangedTeams } from '../load/sum-credits.ts';
import { warnOfSkipped, withoutForgotten } from '../removal/skip-forgotten.ts';
import type { OpenSurroundings } from '../runs/job-surroundings.ts';
import { linesByOrganization } from './lines-by-organization.ts';
import { recordImport, refuseProblems } from './recorded-import.ts';

/** The result of an import. */
export interface PeopleImport {
  readonly report: RunReport;
  readonly persons: number;
  /** Number of persons in the file whom the platform has not named yet. Once it does, their usage counts for their team. */
  readonly unknown: number;
}

/** The content of a file. */
export interface PeopleFile {
  /** The path of the file, as on the command line. */
  readonly file: string;
  readonly lines: readonly PersonLine[];
  /** A sentence for each problem of a line. */
  readonly problems: readonly string[];
}

/**
 * Imports people. Throws `ConfigurationError` with all problems of the file, also those that only a comparison with the
 * warehouse shows.
 */
export async function importPeople(
  { file, lines, problems }: PeopleFile,
  surroundings: OpenSurroundings,
): Promise<PeopleImport> {
  const { pool } = surroundings.warehouse;
  const plan = async (session: Session) => {
    const { lines: known, skipped, persons } = await withoutForgotten(session.db, lines, nameOf);
    const text = (named: string | null) => (named === null ? null : persons.inText(named));
    const stored = known.map((line) => ({
      ...line,
      // The name of a team may contain the name of a forgotten person.
      team: persons.inText(line.team),
      department: text(line.department),
      costCenter: text(line.costCenter),
    }));
    return {
      parts: await planImport(session, { file, lines: stored, problems }, surroundings.config),
      skipped,
    };
  };
  const { parts, skipped } = await withSession(pool, plan);
  warnOfSkipped(surroundings.log, skipped);
  const report = await recordImport(
    {
      job: 'people import',
      file,
      lines: lines.length,
      write: async (run) => {
        for (const { orgKey } of parts) await run.control.holdOrganization(orgKey);
        const written = await withTransaction(pool, async (session) => {
          const changes = { inserted: 0, updated: 0, deleted: 0 };
          for (const { orgKey, replacement } of (await plan(session)).parts) {
            await writeAssignments(session.db, orgKey, replacement.removed, replacement.added);
            addTo(changes, replacement.changes);
          }
          return changes;
        });
        await sumCreditsOfChangedTeams(
          run,
          parts.map(({ orgKey }) => orgKey),
        );
        return written;
      },
    },
    surroundings,
  );
  const sum = (figure: 'persons' | 'unknown') => parts.reduce((total, part) => total + part[figure], 0);
  return { report, persons: sum('persons'), unknown: sum('unknown') };
}

const nameOf = ({ person }: PersonLine) => ('userId' in person ? person.userId : person.userEmail);

function addTo(sum: RowChanges, { inserted, updated, deleted }: RowChanges): void {
  sum.inserted += inserted;
  sum.updated += updated;
  sum.deleted += deleted;
}

/** The changes of a file in one organization. */
interface Part {
  readonly orgKey: number;
  readonly persons: number;
  readonly unknown: number;
  readonly replacement: RowReplacement<HeldAssignment, Assignment>;
}

async function planImport(
  session: Session,
  { file, lines, problems: found }: PeopleFile,
  config: Config,
): Promise<Part[]> {
  const problems = [...found];
  const parts: Part[] = [];
  for (const [orgKey, ofOrganization] of await linesByOrganization(session.db, config, lines, problems))
    parts.push(await planOrganization(session, orgKey, ofOrganization, problems));
  refuseProblems(file, problems);
  return parts;
}

/** The key of a person, from user id or e-mail. All spellings of an e-mail have one key. */
function keyOf({
  userId,
  userEmail,
}: {
  readonly userId?: string | null;
  readonly userEmail?: string | null;
}) {
  return userId ? `id ${userId}` : `e-mail ${emailKey(userEmail ?? '')}`;
}

async function planOrganization(
  session: Session,
  orgKey: number,
  lines: readonly PersonLine[],
  problems: string[],
): Promise<Part> {
  const linesOf = Map.groupBy(lines, ({ person }) => keyOf(person));
  const users = await readKnownUsers(session, orgKey);
  const usersOf = Map.groupBy(
    users.filter(({ userEmail }) => userEmail !== null),
    keyOfEmail,
  );
  const wanted: Assignment[] = [];
  for (const ofPerson of linesOf.values())
    for (const period of closedPeriods(ofPerson, problems)) wanted.push(assignmentOf(period));
  problems.push(...namedBothWays(linesOf, usersOf));

  /** The keys whose stored periods the file replaces: those in the file, and other keys of the same persons. */
  const named = new Set(linesOf.keys());
  for (const [email, sharing] of usersOf) {
    const ids = sharing.map(({ userId }) => keyOf({ userId }));
    if (linesOf.has(email)) for (const id of ids) named.add(id);
    // A stored period by e-mail is that of all users with this e-mail: replace it only if all of them are in the file.
    else if (ids.every((id) => linesOf.has(id))) named.add(email);
  }
  const held = (await readAssignments(session.db, orgKey)).filter((row) => named.has(keyOf(row)));
  const known = new Set([...usersOf.keys(), ...users.map(({ userId }) => keyOf({ userId }))]);
  return {
    orgKey,
    persons: linesOf.size,
    unknown: [...linesOf.keys()].filter((key) => !known.has(key)).length,
    replacement: replacementOf(held, wanted, periodKey, contentOf),
  };
}

const keyOfEmail = ({ userEmail }: { readonly userEmail: string | null }) => keyOf({ userEmail });
const periodKey = (row: Assignment) => JSON.stringify([keyOf(row), row.validFrom]);
const contentOf = ({ userEmail, team, department, costCenter, validTo }: Assignment) =>
  JSON.stringify([userEmail, team, department, costCenter, validTo]);

function assignmentOf(line: PersonLine): Assignment {
  const [userId, userEmail] =
    'userId' in line.person ? [line.person.userId, null] : [null, line.person.userEmail];
  const storable = (text: string | null) => (text === null ? null : storableText(text));
  return {
    userId: storable(userId),
    userEmail: storable(userEmail),
    team: storableText(line.team),
    department: storable(line.department),
    costCenter: storable(line.costCenter),
    validFrom: line.validFrom,
    validTo: line.validTo,
  };
}

/** A sentence for each person whom the file names by e-mail in one line and by user id in another. */
function namedBothWays(
  linesOf: ReadonlyMap<string, readonly PersonLine[]>,
  usersOf: ReadonlyMap<string, readonly { readonly userId: string }[]>,
): string[] {
  return [...linesOf].flatMap(([key, lines]) => {
    const ids = usersOf.get(key) ?? [];
    const other = ids.flatMap(({ userId }) => linesOf.get(keyOf({ userId })) ?? [])[0];
    if (other === undefined) return [];
    return [
      `line ${lines[0]?.line}: user_email: the same person is named by user_id in line ${other.line}; name each person in one way`,
    ];
  });
}
