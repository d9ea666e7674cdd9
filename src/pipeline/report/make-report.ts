/** Makes a report page from the figures of the views. */
import type pg from 'pg';
import type { Clock } from '../../model/clock.ts';
import type { DayRange } from '../../model/day.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { OrganizationFigures } from '../../model/report.ts';
import { type Sanitizer, sanitizeTexts } from '../../model/sanitize.ts';
import { appVersion } from '../../model/version.ts';
import { reportPage } from '../../reporting/report/page.ts';
import { type Session, withSnapshot } from '../../warehouse/connection/connection.ts';
import { readReport, refuseWithoutPeople, reportedOrganizations } from '../../warehouse/report.ts';

/** A page with more organizations would be too large, and take minutes. */
const mostOrganizations = 20;

/** The options of a report. */
export interface ReportRequest {
  readonly range: DayRange;
  /** Whether the report names persons. */
  readonly withPeople: boolean;
  /** Ids of the organizations of the report; undefined: all of the warehouse. */
  readonly organizations?: readonly string[] | undefined;
  readonly clock: Clock;
  /** Sanitizes every text from outside. */
  readonly redact: Sanitizer;
}

/** A finished report. */
export interface Report {
  /** The HTML of the file. */
  readonly page: string;
  readonly organizations: readonly { readonly organization: string; readonly has_data: boolean }[];
}

/**
 * Reads all figures in one snapshot and makes the page. Throws `ConfigurationError` if the role may not read the
 * names of persons, or if there are more than twenty organizations.
 */
export async function makeReport(pool: pg.Pool, request: ReportRequest): Promise<Report> {
  const { range, withPeople, clock, redact } = request;
  const organizations = await withSnapshot(pool, async (session) => {
    if (withPeople) await refuseWithoutPeople(session);
    const read: OrganizationFigures[] = [];
    for (const organization of await chosenOrganizations(session, request.organizations))
      read.push(shown(await readReport(session, organization, range, withPeople), redact));
    return read;
  });
  const madeAt = new Date(clock()).toISOString().slice(0, 16).replace('T', ' ');
  return {
    page: reportPage({ range, madeAt, appVersion, organizations }),
    organizations: organizations.map(({ organization, totals }) => ({
      organization,
      has_data: totals.has_any,
    })),
  };
}

async function chosenOrganizations(
  session: Session,
  chosen: readonly string[] | undefined,
): Promise<readonly string[]> {
  const held = await reportedOrganizations(session);
  const organizations = chosen === undefined ? held : chosen.filter((id) => held.includes(id));
  refuseMany(organizations.length);
  return organizations;
}

/** Throws `ConfigurationError` if there are too many organizations for one page. */
export function refuseMany(count: number): void {
  if (count > mostOrganizations)
    throw new ConfigurationError([
      `report: expected at most ${mostOrganizations} organizations, got ${count}; choose some with --organization, of ORGANIZATIONS_FILE`,
    ]);
}

/** The figures, sanitized. Only in the list of people do e-mail addresses stay; in other texts they are hidden. */
function shown({ people, ...figures }: OrganizationFigures, redact: Sanitizer): OrganizationFigures {
  return { ...sanitizeTexts(figures, redact), people: sanitizeTexts(people, redact.namingPersons) };
}
