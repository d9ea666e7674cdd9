/** Makes the plan of a backfill from the ledger, and sends no request. */

import type { Read } from '../../model/source.ts';
import { counted } from '../../reporting/number-text.ts';
import { duration } from '../../reporting/progress-line.ts';
import { textTable } from '../../reporting/text-table.ts';
import type { KnownSlices } from '../plan/plan.ts';
import type { Warehouse } from '../runs/open-warehouse.ts';
import { knownOrganizations } from './known-organizations.ts';

/** The JSON of `backfill --dry-run --json`. */
export interface DryPlan {
  readonly plans: readonly {
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

/** Plans for every organization in the ledger; if there is none, for a new organization. */
export async function planDry(
  { pool }: Warehouse,
  plan: (known: KnownSlices) => readonly Read[],
  requestsPerSecond: number,
): Promise<DryPlan> {
  const organizations = await knownOrganizations(pool);
  const nobody = { organizationId: null, ledger: new Map(), asked: new Map() };
  return {
    plans: (organizations.length > 0 ? organizations : [nobody]).map(({ organizationId, ...known }) => {
      const reads = plan(known);
      return {
        organization: organizationId,
        slices: reads.reduce((sum, read) => sum + read.slices.length, 0),
        requests_at_least: reads.length,
        expected_seconds: Math.ceil(reads.length / requestsPerSecond),
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
    }),
  };
}

/** The plan in words. */
export function describePlan({ plans }: DryPlan): string {
  return plans
    .map(({ organization, slices, requests_at_least, expected_seconds, endpoints }) =>
      [
        `${organization ?? 'An organization not seen yet'}: ${counted(slices, 'slice')} in at least ${counted(requests_at_least, 'request')}, about ${duration(1000 * expected_seconds)} or more`,
        textTable(
          ['endpoint', 'slices', 'from', 'to', 'reads'],
          endpoints.map((row) => [row.endpoint, row.slices, row.from, row.to, row.reads]),
        ),
      ].join('\n'),
    )
    .join('\n\n');
}
