/** The days that the warehouse holds and lacks, by organization and endpoint: the result of `status`. */
import { type Day, today, yesterday } from '../../model/day.ts';
import { graceEndMs } from '../../model/night.ts';
import { sources } from '../../sources/registry.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import type { Coverage } from '../../warehouse/ledger/coverage.ts';
import { type LastRuns, newestRuns, readLastRuns } from '../../warehouse/ledger/last-runs.ts';
import { askedOrganizations } from '../organization/asked-organizations.ts';
import { coverageOfAll, tooOld } from '../plan/coverage.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { withWarehouse } from '../runs/with-warehouse.ts';

/** The status of one organization; the names are a public interface (`--json`). */
export interface OrganizationStatus extends LastRuns {
  /** Its name in ORGANIZATIONS_FILE. */
  readonly name?: string;
  /** Null if the platform has never answered for its name. */
  readonly organization: string | null;
  /** Whether no day of a daily source is missing, failed or refused, and no slice of another source is refused. */
  readonly complete: boolean;
  /** The daily sources. */
  readonly endpoints: readonly Coverage[];
  /** The other sources that the ledger knows. */
  readonly other_sources: readonly Coverage[];
}

/** The status of the whole warehouse, with the newest runs of all, also those without an organization (`--json`). */
export interface Status extends LastRuns {
  /** Whether there is an organization, and every one is complete. */
  readonly complete: boolean;
  readonly organizations: readonly OrganizationStatus[];
}

/** The days that a status is about; without `from`, since the first day that was asked for. */
export interface StatusRange {
  readonly from: Day | undefined;
  readonly to: Day;
}

/** Reads the status. Throws `ConfigurationError` if the warehouse cannot be used, and the errors of its queries. */
export async function readStatus(range: StatusRange, surroundings: JobSurroundings): Promise<Status> {
  const { clock, config } = surroundings;
  const lastDay = yesterday(clock);
  const excused = clock() < graceEndMs(lastDay, config.statusGraceHours) ? lastDay : undefined;
  const days = { ...range, today: today(clock), excused };
  const { lastRuns, asked, covered } = await withWarehouse(surroundings, 'reads', ({ warehouse: { pool } }) =>
    withSession(pool, async ({ db }) => {
      const organizations = await askedOrganizations(db, config);
      const keys = organizations.flatMap(({ held }) => held?.orgKey ?? []);
      return {
        lastRuns: await readLastRuns(db),
        asked: organizations,
        covered: await coverageOfAll(db, sources, days, config.organizations && keys),
      };
    }),
  );
  const byId = new Map(covered.map((each) => [each.organization, each]));
  const organizations = asked.map(({ name, held }) => ({
    ...(name === undefined ? {} : { name }),
    ...((held && byId.get(held.organizationId)) ?? neverAnswered),
    ...((held && lastRuns.get(held.organizationId)) ?? newestRuns([])),
  }));
  const complete = organizations.length > 0 && organizations.every((each) => each.complete);
  return { complete, organizations, ...newestRuns([...lastRuns.values()]) };
}

/** The coverage of an organization of ORGANIZATIONS_FILE without an answer of the platform. */
const neverAnswered = { organization: null, complete: false, endpoints: [], other_sources: [] };

/** A sentence names at most so many organizations. */
const mostNamed = 10;
const nothingLoaded = 'nothing is loaded yet';

/** Says which organizations are incomplete; undefined if the status is complete. */
export function incompleteness({ complete, organizations }: Status): string | undefined {
  if (complete) return undefined;
  const names = organizations.filter((each) => !each.complete).map(nameOf);
  return names.length === 0 ? nothingLoaded : `incomplete: ${firstFew(names)}`;
}

/** Says which organizations have data that is older than `maxAge` hours at the time `nowMs`, one sentence each. */
export function staleness({ organizations }: Status, maxAge: number, nowMs: number): string[] {
  if (organizations.length === 0) return [nothingLoaded];
  const stale = organizations.flatMap((each) => {
    if (each.organization === null) return [`${nameOf(each)}: ${nothingLoaded}`];
    const old = tooOld(each.endpoints, maxAge, nowMs).map(({ endpoint, ageHours }) =>
      ageHours === undefined ? `${endpoint} has no day` : `${endpoint} by ${ageHours.toFixed(1)} hours`,
    );
    return old.length === 0 ? [] : [`older than ${maxAge} hours: ${nameOf(each)}: ${old.join(', ')}`];
  });
  const more = stale.length - mostNamed;
  return more > 0 ? [...stale.slice(0, mostNamed), `and ${more} more organizations`] : stale;
}

function nameOf({ name, organization }: Pick<OrganizationStatus, 'name' | 'organization'>): string {
  return name ?? organization ?? '';
}

/** At most ten names, and the number of the others. */
function firstFew(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
