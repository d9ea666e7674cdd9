/** Makes the plan of a backfill from the ledger, and sends no request. */

import type { Config } from '../../model/config.ts';
import { configOf } from '../../model/organizations/organization-config.ts';
import type { Read } from '../../model/source.ts';
import { counted } from '../../reporting/number-text.ts';
import { duration } from '../../reporting/progress-line.ts';
import { textTable } from '../../reporting/text-table.ts';
import type { KnownSlices } from '../plan/plan.ts';
import type { Warehouse } from '../runs/open-warehouse.ts';
import { eachKnownOrganization, type KnownOrganization } from './each-known-organization.ts';

/** The JSON of `backfill --dry-run --json`. */
export interface DryPlan {
  readonly plans: readonly {
    /** Only with ORGANIZATIONS_FILE. */
    readonly name?: string;
    /** Null if the warehouse has no organization yet. */
    readonly organization: string | null;
    readonly slices: number;
    readonly requests_at_least: number;
    /** The time that these requests take with the rate budget. */
    readonly expected_seconds: number;
    readonly endpoints: readonly {
      endpoint: string;
      slices: number;
      from: string;
      to: string;
      reads: number;
    }[];
  }[];
}

/**
 * Plans for each organization of ORGANIZATIONS_FILE with its own settings, else for every one in the ledger; if there is
 * none, for a new organization.
 */
export async function planDry(
  { pool }: Warehouse,
  config: Config,
  plan: (known: KnownSlices, settings: Config) => readonly Read[],
): Promise<DryPlan> {
  const entries = new Map(config.organizations?.map((entry) => [entry.name, entry]));
  const planOf = ({ name, held, ...known }: KnownOrganization) => {
    const entry = name === undefined ? undefined : entries.get(name);
    const settings = entry === undefined ? config : configOf(entry, config, undefined);
    const reads = plan(known, settings);
    return {
      ...(name === undefined ? {} : { name }),
      organization: held?.organizationId ?? null,
      slices: reads.reduce((sum, read) => sum + read.slices.length, 0),
      requests_at_least: reads.length,
      expected_seconds: Math.ceil(reads.length / settings.requestsPerSecond),
      endpoints: [...Map.groupBy(reads, ({ source }) => source.name)].map(([endpoint, ofEndpoint]) => {
        const keys = ofEndpoint.flatMap(({ slices: ofRead }) => ofRead.map(({ key }) => key)).sort();
        return {
          endpoint,
          slices: keys.length,
          from: keys[0] ?? '',
          to: keys.at(-1) ?? '',
          reads: ofEndpoint.length,
        };
      }),
    };
  };
  const plans = await eachKnownOrganization(pool, config, planOf);
  const nobody = { name: undefined, held: undefined, ledger: new Map(), asked: new Map() };
  return { plans: plans.length > 0 ? plans : [planOf(nobody)] };
}

/** The plan in words. */
export function describePlan({ plans }: DryPlan): string {
  return plans
    .map(({ name, organization, slices, requests_at_least, expected_seconds, endpoints }) =>
      [
        `${subjectOf(name, organization)}: ${counted(slices, 'slice')} in at least ${counted(requests_at_least, 'request')}, about ${duration(1000 * expected_seconds)} or more`,
        textTable(
          ['endpoint', 'slices', 'from', 'to', 'reads'],
          endpoints.map((row) => [row.endpoint, row.slices, row.from, row.to, row.reads]),
        ),
      ].join('\n'),
    )
    .join('\n\n');
}

function subjectOf(name: string | undefined, organization: string | null): string {
  if (name === undefined) return organization ?? 'An organization not seen yet';
  return `${name} (${organization ?? 'not seen yet'})`;
}
