/** The file of `people import`: persons, their teams, and the periods in which they belong to these teams. */
import { readFilledCsv, shown } from '../csv.ts';
import { addDays, type Day, isDay } from '../day.ts';
import { isEmail } from '../email.ts';

/** A person in a file: by user id or by e-mail. */
export type PersonName = { readonly userId: string } | { readonly userEmail: string };

/** A line of the file. */
export interface PersonLine {
  readonly line: number;
  /** Undefined when the line has no id of an organization. */
  readonly organizationId: string | undefined;
  /** A name of ORGANIZATIONS_FILE in the place of the id. */
  readonly organization?: string | undefined;
  readonly person: PersonName;
  readonly team: string;
  readonly department: string | null;
  readonly costCenter: string | null;
  readonly validFrom: Day;
  /** The last day; null for an open end. */
  readonly validTo: Day | null;
}

const columns = {
  required: ['team', 'valid_from'],
  optional: ['user_id', 'user_email', 'department', 'cost_center', 'valid_to', 'org_id', 'organization'],
} as const;

/**
 * Reads the file. Adds a sentence to `problems` for each problem within a line. Also returns faulty lines that have a
 * person and a period, so that they can be compared with other lines. With `withholdsEmails` a line must not name a
 * person by e-mail, because the e-mail would be stored.
 */
export function readPeopleFile(
  bytes: Buffer,
  { withholdsEmails }: { readonly withholdsEmails: boolean },
  problems: string[],
): PersonLine[] {
  return readFilledCsv(bytes, columns, problems).flatMap(({ line, value }) => {
    const text = (column: Parameters<typeof value>[0]) => value(column).trim();
    const wrong = (column: string, expected: string) => {
      problems.push(`line ${line}: ${column}: expected ${expected}`);
    };
    const [userId, userEmail] = [value('user_id'), text('user_email')];
    const found = problems.length;
    if ((userId === '') === (userEmail === ''))
      wrong('user_id, user_email', `one of the two, got ${userId === '' ? 'neither' : 'both'}`);
    else if (userEmail !== '' && !isEmail(userEmail)) wrong('user_email', 'an e-mail address');
    else if (userEmail !== '' && withholdsEmails)
      wrong('user_email', 'none, because USER_EMAIL=none stores no e-mail; name the person by user_id');
    if (value('org_id') !== '' && text('organization') !== '')
      wrong('org_id, organization', 'one of the two, got both');
    const isNamed = problems.length === found;
    if (text('team') === '') wrong('team', 'the name of a team, got nothing');
    const foundBefore = problems.length;
    const validFrom = text('valid_from');
    const validTo = text('valid_to');
    if (!isDay(validFrom)) wrong('valid_from', `a day as YYYY-MM-DD, got ${shown(validFrom)}`);
    if (validTo !== '' && !isDay(validTo))
      wrong('valid_to', `a day as YYYY-MM-DD or nothing, got ${shown(validTo)}`);
    else if (validTo !== '' && isDay(validFrom) && validTo < validFrom)
      wrong('valid_to', `no day before valid_from (${validFrom}), got ${validTo}`);
    if (!isNamed || problems.length > foundBefore || !isDay(validFrom)) return [];
    return [
      {
        line,
        organizationId: value('org_id') || undefined,
        organization: text('organization') || undefined,
        person: userId === '' ? { userEmail } : { userId },
        team: text('team'),
        department: text('department') || null,
        costCenter: text('cost_center') || null,
        validFrom,
        validTo: isDay(validTo) ? validTo : null,
      },
    ];
  });
}

/**
 * The periods of one person in order. A period without an end ends the day before the next period begins. Adds a
 * sentence to `problems` for each period that overlaps the period before it.
 */
export function closedPeriods(lines: readonly PersonLine[], problems: string[]): PersonLine[] {
  const sorted = [...lines].sort((a, b) =>
    a.validFrom < b.validFrom ? -1 : a.validFrom > b.validFrom ? 1 : a.line - b.line,
  );
  return sorted.map((period, index) => {
    const next = sorted[index + 1];
    if (next === undefined) return period;
    const end = period.validTo ?? addDays(next.validFrom, -1);
    if (end >= next.validFrom || end < period.validFrom)
      problems.push(
        `line ${next.line}: valid_from: ${next.validFrom} lies within the period of the same person in line ${period.line}`,
      );
    return { ...period, validTo: end };
  });
}
