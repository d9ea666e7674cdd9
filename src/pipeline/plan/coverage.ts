/** The coverage of every organization: held and missing days by endpoint, and whether it is complete. */
import { type Day, endMs } from '../../model/day.ts';
import type { Source } from '../../model/source.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import {
  type CountedCoverage,
  type Coverage,
  type CoverageDays,
  readCoverage,
} from '../../warehouse/ledger/coverage.ts';

const hourMs = 3_600_000;
/** Nobody reads the gaps of more organizations; their numbers are there. */
const mostListed = 100;

/** The coverage of one organization. */
export interface OrganizationCoverage {
  readonly organization: string;
  /**
   * Whether nothing of its days is missing, failed or refused, and yesterday is not pending. Nothing at all is not
   * complete. The excused day does not count, unless it was refused.
   */
  readonly complete: boolean;
  /** Daily sources. */
  readonly endpoints: readonly Coverage[];
  /** Other sources of which the ledger has anything; only refusals make them incomplete. */
  readonly other_sources: readonly Coverage[];
}

/**
 * The coverage of all organizations, or of those with the keys in `only`, in the order of their keys. Slices are counted for all; they are listed for the
 * first hundred organizations that lack any, those that are not complete before others.
 */
export async function coverageOfAll(
  db: Database,
  sources: readonly Source[],
  days: CoverageDays,
  only?: readonly number[],
): Promise<OrganizationCoverage[]> {
  const covered = sources.map(({ name, partitioning: { kind, isNamed = false } }) => ({
    name,
    kind,
    isNamed,
  }));
  const daily = new Set(covered.filter(({ kind }) => kind === 'day').map(({ name }) => name));
  const counted = Map.groupBy(await readCoverage(db, covered, days, only, false), ({ org_key }) => org_key);
  const isDaily = ({ endpoint }: Coverage) => daily.has(endpoint);
  const isComplete = (rows: readonly CountedCoverage[]) =>
    rows.some((row) => isDaily(row) && row.first_day !== null) &&
    rows.every((row) => (isDaily(row) ? !row.is_lacking : !row.is_refused));
  const toList = [...counted]
    .filter(([, rows]) => rows.some(hasAnyToList))
    .map(([orgKey, rows]) => ({ orgKey, complete: isComplete(rows) }))
    .sort((a, b) => Number(a.complete) - Number(b.complete) || a.orgKey - b.orgKey)
    .slice(0, mostListed)
    .map(({ orgKey }) => orgKey);
  const listed =
    toList.length === 0
      ? new Map<number, CountedCoverage[]>()
      : Map.groupBy(await readCoverage(db, covered, days, toList, true), ({ org_key }) => org_key);
  return [...counted].map(([orgKey, rows]) => {
    const shown = listed.get(orgKey) ?? rows;
    return {
      organization: rows[0]?.organization ?? '',
      complete: isComplete(rows),
      endpoints: shown.filter(isDaily).map(coverage),
      other_sources: shown.filter((row) => !isDaily(row)).map(coverage),
    };
  });
}

function hasAnyToList({ gaps_count, failed_count, pending_count, is_refused }: CountedCoverage): boolean {
  return gaps_count > 0 || failed_count > 0 || pending_count > 0 || is_refused;
}

function coverage({ org_key, organization, is_lacking, is_refused, ...shown }: CountedCoverage): Coverage {
  return shown;
}

/**
 * The endpoints that have no held day, or whose last held day ended more than `hours` before `nowMs`. `ageHours` is the
 * time since the end of that day.
 */
export function tooOld(
  endpoints: readonly { readonly endpoint: string; readonly last_day: Day | null }[],
  hours: number,
  nowMs: number,
): { readonly endpoint: string; readonly ageHours: number | undefined }[] {
  return endpoints.flatMap(({ endpoint, last_day }) => {
    const ageHours = last_day === null ? undefined : (nowMs - endMs(last_day)) / hourMs;
    return ageHours === undefined || ageHours > hours ? [{ endpoint, ageHours }] : [];
  });
}
