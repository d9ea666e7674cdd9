/** Makes the plan of a backfill from the ledger, and sends no request. */

import type { Config } from '../../model/config.ts';
import { configOf } from '../../model/organizations/organization-config.ts';
import type { Read, Source } from '../../model/source.ts';
import type { PlannedRequests } from '../../model/work/planned-work.ts';
import { counted } from '../../reporting/number-text.ts';
import { figuresOfRequests, type RequestFigures, requestsInWords } from '../../reporting/plan-text.ts';
import { textTable } from '../../reporting/text-table.ts';
import { readRequestWindows } from '../../warehouse/ledger/request-window.ts';
import { readKnownRecords } from '../plan/known-records.ts';
import type { KnownSlices } from '../plan/plan.ts';
import type { Warehouse } from '../runs/open-warehouse.ts';
import { eachKnownOrganization } from './each-known-organization.ts';

/** The JSON of `backfill --dry-run --json`. */
export interface DryPlan {
  readonly plans: readonly (RequestFigures & {
    /** Only with ORGANIZATIONS_FILE. */
    readonly name?: string;
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

/**
 * Plans for each organization of ORGANIZATIONS_FILE with its own settings, else for every one in the ledger; if there is
 * none, for a new organization.
 */
export async function planDry(
  { pool }: Warehouse,
  config: Config,
  planned: (settings: Config) => {
    readonly sources: readonly Source[];
    readonly plan: (known: KnownSlices) => readonly Read[];
  },
): Promise<DryPlan> {
  const entries = new Map(config.organizations?.map((entry) => [entry.name, entry]));
  const settingsOf = (name: string | undefined) => {
    const entry = name === undefined ? undefined : entries.get(name);
    return entry === undefined ? config : configOf(entry, config, undefined);
  };
  const plans: DryPlan['plans'][number][] = [];
  await eachKnownOrganization(pool, config, async ({ name, held, ...known }, db) => {
    const settings = settingsOf(name);
    const { sources, plan } = planned(settings);
    const figures =
      held === undefined
        ? nothingKnown
        : {
            records: await readKnownRecords(db, held.orgKey, sources, known.ledger),
            fits: await readRequestWindows(db, held.orgKey),
          };
    plans.push({
      ...(name === undefined ? {} : { name }),
      ...planOf(held?.organizationId ?? null, plan(known), { ...figures, limits: settings }),
    });
  });
  if (plans.length > 0) return { plans };
  const reads = planned(config).plan({ ledger: new Map(), asked: new Map() });
  return { plans: [planOf(null, reads, { ...nothingKnown, limits: config })] };
}

const nothingKnown: Pick<PlannedRequests, 'records' | 'fits'> = { records: new Map(), fits: new Map() };

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
    .map(({ name, organization, slices, endpoints, ...requests }) =>
      [
        `${subjectOf(name, organization)}: ${counted(slices, 'slice')} in ${requestsInWords(requests)}`,
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
