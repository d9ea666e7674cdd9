/** What comes before a run plans: whose data it is, its lock, what is known of it, and what may not be stored any more. */
import { addDays, type Day, earliestDay } from '../../model/day.ts';
import type { OnRunEvent } from '../../model/run.ts';
import { organizationProbes, sources } from '../../sources/registry.ts';
import { readAskedRanges, rememberAskedRange } from '../../warehouse/ledger/asked-range.ts';
import { ensureDates, findOrganization, listOrganizations } from '../../warehouse/ledger/organization.ts';
import { readRequestWindows } from '../../warehouse/ledger/request-window.ts';
import { readLedger } from '../../warehouse/ledger/slice-ledger.ts';
import { organizationOfJob } from '../organization/organization-of-credential.ts';
import { takeOrganization } from '../organization/take-organization.ts';
import type { LoadJob } from '../plan/load-job.ts';
import type { KnownSlices } from '../plan/plan.ts';
import { removeBeforeLoad } from '../removal/remove-before-load.ts';
import type { PlatformRun } from '../runs/with-run.ts';

/** An organization that a run has for itself. */
export interface OpenOrganization {
  readonly orgKey: number;
  readonly organizationId: string;
  /** The last day that the platform serves. */
  readonly servedUntil: Day;
  /** What an answer of the platform took, in milliseconds. */
  readonly answerMs: number;
  readonly known: KnownSlices;
  /** Days of the largest window that worked, by endpoint. */
  readonly windows: Map<string, number>;
}

/**
 * Learns the organization of the credential and takes its lock. What is stored and may not be, by the settings or
 * because a person is forgotten, is taken out before anything is read. Throws what `organizationOfJob` throws, and
 * `LockHeldError`.
 */
export async function openOrganization(job: LoadJob, run: PlatformRun): Promise<OpenOrganization> {
  const { clock, client, pool, signal, control, onEvent } = run;
  const question = { client, probes: organizationProbes, clock, onEvent };
  const ask = async () => {
    const askedAt = performance.now();
    const learned = await organizationOfJob(job, question, pool, signal);
    return { ...learned, answerMs: (performance.now() - askedAt) / Math.max(1, client.counts.sent) };
  };
  const [{ organizationId, servedUntil, answerMs }] = await Promise.all([
    ask(),
    // The calendar is everybody's: it need not wait for the answer.
    control.use(async ({ db }) => {
      const lastYear = addDays(job.yesterday, 366).slice(0, 4);
      await ensureDates(db, `${earliestDay.slice(0, 4)}-01-01`, `${lastYear}-12-31`);
    }),
  ]);
  await control.use(async ({ db }) => {
    if ((await findOrganization(db, organizationId)) === undefined)
      tellAdded(organizationId, await listOrganizations(db), onEvent);
  });
  const orgKey = await takeOrganization(run, organizationId);
  const { known, windows } = await control.use(async ({ db }) => {
    const daily = job.sources
      .filter(({ partitioning }) => partitioning.kind === 'day')
      .map(({ name }) => name);
    if (job.asksFrom !== undefined) await rememberAskedRange(db, orgKey, daily, job.asksFrom);
    const named = await job.named?.name(db, orgKey);
    return {
      known: {
        ledger: await readLedger(db, orgKey),
        asked: await readAskedRanges(db, orgKey),
        ...(named === undefined ? {} : { named }),
      },
      windows: await readRequestWindows(db, orgKey),
    };
  });
  await removeBeforeLoad(run, orgKey, sources, run.config);
  return { orgKey, organizationId, servedUntil, answerMs, known, windows };
}

/** Tells of an organization beside others. */
function tellAdded(
  organizationId: string,
  others: readonly { readonly organizationId: string }[],
  onEvent: OnRunEvent,
): void {
  if (others.length === 0) return;
  const core = (id: string) => id.replaceAll(/\s/g, '').toLowerCase();
  const like = others.find((other) => core(other.organizationId) === core(organizationId))?.organizationId;
  onEvent({ type: 'organization-added', organizationId, others: others.length, like });
}
