/**
 * Prepares the plan of a run: learns the organization, takes its lock, reads its ledger, removes data that may not be
 * stored.
 */
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

/** An organization whose lock a run holds. */
export interface OpenOrganization {
  readonly orgKey: number;
  readonly organizationId: string;
  /** The last day that the platform serves. */
  readonly servedUntil: Day;
  /** The time of an answer of the platform, in milliseconds. */
  readonly answerMs: number;
  readonly known: KnownSlices;
  /** The largest window that worked, in days, by endpoint. */
  readonly windows: Map<string, number>;
}

/**
 * Learns the organization of the credential and takes its lock. Then it removes stored data that the settings or a
 * forgotten person forbid, before the platform is asked for slices. Throws the errors of `organizationOfJob`, and
 * `LockHeldError`.
 */
export async function openOrganization(job: LoadJob, run: PlatformRun): Promise<OpenOrganization> {
  const { config, clock, client, pool, signal, control, onEvent } = run;
  const question = { client, probes: organizationProbes, clock, onEvent };
  const ask = async () => {
    const askedAt = performance.now();
    const learned = await organizationOfJob(job, question, pool, signal, config.organization);
    return { ...learned, answerMs: (performance.now() - askedAt) / Math.max(1, client.counts.sent) };
  };
  const [{ organizationId, servedUntil, answerMs }] = await Promise.all([
    ask(),
    // The calendar does not depend on the organization, so do not wait for the answer.
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

/** Reports a new organization if there are others already. The credential may be the wrong one. */
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
