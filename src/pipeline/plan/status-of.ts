/** What `status` tells of each organization. */
import type { Source } from '../../model/source.ts';
import { type Coverage, coverageOf, isComplete } from './coverage.ts';
import type { KnownSlices } from './plan.ts';

/** Organizations whose missing days are listed where there are several. */
const mostListed = 100;

/** The days that `status` asks about. */
export type StatusDays = Parameters<typeof coverageOf>[2] & Parameters<typeof isComplete>[1];

/** The coverage of an organization; the names are a public interface (`--json`). */
export interface OrganizationStatus {
  readonly complete: boolean;
  readonly endpoints: readonly Coverage[];
  /** Sources without history. */
  readonly other_sources: readonly Coverage[];
}

/** The status of an organization. It has all of `daily`, and those of `others` that the ledger knows. */
export function statusOf(
  known: KnownSlices,
  daily: readonly Source[],
  others: readonly Source[],
  days: StatusDays,
): OrganizationStatus {
  const endpoints = coverageOf(daily, known, days);
  const names = new Set([...known.ledger.values()].map(({ endpoint }) => endpoint));
  const otherSources = coverageOf(
    others.filter(({ name }) => names.has(name)),
    known,
    days,
  );
  const complete = isComplete(endpoints, days) && otherSources.every(({ refused }) => refused.length === 0);
  return { complete, endpoints, other_sources: otherSources };
}

/** Coverage of one of several organizations: numbers for all, and lists only for some. */
export type CountedCoverage = Omit<Coverage, 'gaps' | 'failed' | 'pending'> &
  Partial<Pick<Coverage, 'gaps' | 'failed' | 'pending'>> & {
    readonly gaps_count: number;
    readonly failed_count: number;
    readonly pending_count: number;
  };

/** The status of one of several organizations. */
export interface CountedStatus {
  readonly complete: boolean;
  readonly endpoints: readonly CountedCoverage[];
  readonly other_sources: readonly CountedCoverage[];
}

/** Returns a function that counts missing days, and keeps the lists of the first organizations that are not complete. */
export function listingSome(): (status: OrganizationStatus) => CountedStatus {
  let listed = 0;
  return ({ complete, endpoints, other_sources }) => {
    const isListed = !complete && listed++ < mostListed;
    const counted = ({ gaps, failed, pending, ...rest }: Coverage): CountedCoverage => ({
      ...rest,
      gaps_count: gaps.length,
      failed_count: failed.length,
      pending_count: pending.length,
      ...(isListed ? { gaps, failed, pending } : {}),
    });
    return { complete, endpoints: endpoints.map(counted), other_sources: other_sources.map(counted) };
  };
}
