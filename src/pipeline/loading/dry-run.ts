/** Makes the plan of a backfill from the ledger, and sends no request. */

import type { Read, Source } from '../../model/source.ts';
import type { PlannedRequests } from '../../model/work/planned-work.ts';
import { counted } from '../../reporting/number-text.ts';
import { figuresOfRequests, type RequestFigures, requestsInWords } from '../../reporting/plan-text.ts';
import { textTable } from '../../reporting/text-table.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { readRequestWindows } from '../../warehouse/ledger/request-window.ts';
import { readKnownRecords } from '../plan/known-records.ts';
import type { KnownSlices } from '../plan/plan.ts';
import type { Warehouse } from '../runs/open-warehouse.ts';
import { knownOrganizations } from './known-organizations.ts';

/** The JSON of `backfill --dry-run --json`. */
export interface DryPlan {
  readonly plans: readonly (RequestFigures & {
    /** Null if the warehouse has no organization yet. */
    readonly organization: string | null;
    readonly slices: number;
    readonly endpoints: readonly {
      endpoint: string;
      slices: number;
      from: string;
      to: string;
      reads: number;
    }[];
  })[];
}

/** Plans for every organization in the ledger; if there is none, for a new organization. */
export async function planDry(
  { pool }: Warehouse,
  sources: readonly Source[],
  plan: (known: KnownSlices) => readonly Read[],
  limits: PlannedRequests['limits'],
): Promise<DryPlan> {
  const plans = [];
  for (const { orgKey, organizationId, ...known } of await knownOrganizations(pool)) {
    const { records, fits } = await withSession(pool, async ({ db }) => ({
      records: await readKnownRecords(db, orgKey, sources, known.ledger),
      fits: await readRequestWindows(db, orgKey),
    }));
    plans.push(planOf(organizationId, plan(known), { records, fits, limits }));
  }
  if (plans.length > 0) return { plans };
  const nothing = { records: new Map(), fits: new Map(), limits };
  return { plans: [planOf(null, plan({ ledger: new Map(), asked: new Map() }), nothing)] };
}

function planOf(
  organization: string | null,
  reads: readonly Read[],
  known: Pick<PlannedRequests, 'records' | 'fits' | 'limits'>,
): DryPlan['plans'][number] {
  const slices = reads.reduce((sum, read) => sum + read.slices.length, 0);
  return {
    organization,
    slices,
    ...figuresOfRequests({ ...known, reads, answerMs: 0 }),
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
}

/** The plan in words. */
export function describePlan({ plans }: DryPlan): string {
  return plans
    .map(({ organization, slices, endpoints, ...requests }) =>
      [
        `${organization ?? 'An organization not seen yet'}: ${counted(slices, 'slice')} in ${requestsInWords(requests)}`,
        textTable(
          ['endpoint', 'slices', 'from', 'to', 'reads'],
          endpoints.map((row) => [row.endpoint, row.slices, row.from, row.to, row.reads]),
        ),
      ].join('\n'),
    )
    .join('\n\n');
}
