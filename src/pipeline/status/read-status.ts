/** The days that the warehouse holds and lacks, by organization and endpoint: the result of `status`. */
import { type Day, today, yesterday } from '../../model/day.ts';
import { graceEndMs } from '../../model/night.ts';
import { dailySources, sources } from '../../sources/registry.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { type LastRuns, newestRuns, readLastRuns } from '../../warehouse/ledger/last-runs.ts';
import { type KnownOrganization, knownOrganizations } from '../loading/known-organizations.ts';
import { type Coverage, coverageOf, isComplete, tooOld } from '../plan/coverage.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { withWarehouse } from '../runs/with-warehouse.ts';

/** The status of one organization; the names are a public interface (`--json`). */
export interface OrganizationStatus extends LastRuns {
  readonly organization: string;
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
  const { lastRuns, known } = await withWarehouse(surroundings, 'reads', async ({ warehouse: { pool } }) => ({
    lastRuns: await withSession(pool, ({ db }) => readLastRuns(db)),
    known: await knownOrganizations(pool),
  }));
  const organizations = known.map((each) => ({
    ...coverageOfOrganization(each, range, surroundings),
    ...(lastRuns.get(each.organizationId) ?? newestRuns([])),
  }));
  const complete = organizations.length > 0 && organizations.every((each) => each.complete);
  return { complete, organizations, ...newestRuns([...lastRuns.values()]) };
}

function coverageOfOrganization(
  { organizationId, ...known }: KnownOrganization,
  range: StatusRange,
  { clock, config }: JobSurroundings,
): Omit<OrganizationStatus, keyof LastRuns> {
  const lastDay = yesterday(clock);
  const excused = clock() < graceEndMs(lastDay, config.statusGraceHours) ? lastDay : undefined;
  const days = { ...range, today: today(clock) };
  const inLedger = new Set([...known.ledger.values()].map(({ endpoint }) => endpoint));
  const others = sources.filter((source) => !dailySources.includes(source) && inLedger.has(source.name));
  const endpoints = coverageOf(dailySources, known, days);
  const otherSources = coverageOf(others, known, days);
  return {
    organization: organizationId,
    complete:
      isComplete(endpoints, { yesterday: lastDay, excused }) &&
      otherSources.every(({ refused }) => refused.length === 0),
    endpoints,
    other_sources: otherSources,
  };
}

const nothingLoaded = 'nothing is loaded yet';

/** Says which organizations are incomplete; undefined if the status is complete. */
export function incompleteness({ complete, organizations }: Status): string | undefined {
  if (complete) return undefined;
  const names = organizations.flatMap((each) => (each.complete ? [] : [each.organization]));
  return names.length === 0 ? nothingLoaded : `incomplete: ${names.join(', ')}`;
}

/** Says which organizations have data that is older than `maxAge` hours at the time `nowMs`, one sentence each. */
export function staleness({ organizations }: Status, maxAge: number, nowMs: number): string[] {
  if (organizations.length === 0) return [nothingLoaded];
  return organizations.flatMap(({ organization, endpoints }) => {
    const old = tooOld(endpoints, maxAge, nowMs).map(({ endpoint, ageHours }) =>
      ageHours === undefined ? `${endpoint} has no day` : `${endpoint} by ${ageHours.toFixed(1)} hours`,
    );
    return old.length === 0 ? [] : [`older than ${maxAge} hours: ${organization}: ${old.join(', ')}`];
  });
}
