/** Tries a night once for many organizations: those of ORGANIZATIONS_FILE for which it is not whole yet. */
import type { Night, NightOfOrganization, TryEnd, TryStatus, Verdict } from '../../model/night.ts';
import type { Source } from '../../model/source.ts';
import { type CompactReport, compactReport } from '../organizations/compact-report.ts';
import { type OrganizationEnd, withEachOrganization } from '../organizations/each-organization.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { runNight } from './night-run.ts';
import { whyNotWhole } from './night-text.ts';
import { type TriedOrganization, tellRound, type UnrecordedMessages } from './tell-round.ts';

/** The try of one organization. */
export interface RoundPart extends Pick<TriedOrganization, 'end' | 'reasons' | 'hasRefused'> {
  readonly report: CompactReport;
}

/** A round that has ended. If the warehouse could not be opened, it has the error. */
export type TriedRound = { readonly end: TryEnd } & (
  | { readonly ends: readonly OrganizationEnd<RoundPart>[]; readonly error?: undefined }
  | { readonly ends?: undefined; readonly error: unknown }
);

const couldNotBegin: TryEnd = { verdict: 'bad', status: 'failed', runId: null };
const keyPlace = 'its api_key_file or api_key_env';

/**
 * Tries a night: loads for each organization that was not good the slices that it has not settled, notes the ends in `night`,
 * and sends the messages of the settings. Never throws.
 */
export async function tryRound(
  surroundings: JobSurroundings,
  night: Night,
  endpoints: readonly Source[],
  unrecorded: UnrecordedMessages = new Map(),
): Promise<TriedRound> {
  const { organizations: entries = [] } = surroundings.config;
  const names = entries.map(({ name }) => name);
  const notGood = entries.filter(({ name }) => night.organizations.get(name)?.end.verdict !== 'good');
  try {
    const ends = await withEachOrganization<RoundPart>(surroundings, notGood, {
      access: 'writes',
      asksPlatform: true,
      async work(own) {
        const settled = night.organizations.get(own.name)?.settled ?? new Set<string>();
        const { report, end, pending } = await runNight(own, { day: night.day, settled }, endpoints);
        note(own.name, { settled, end });
        const missing = [...report.failures, ...pending];
        const { stoppedBy } = report;
        return {
          report: compactReport(report, own.redact),
          end,
          reasons: whyNotWhole({ missing, stoppedBy }, keyPlace).map((reason) => own.redact(reason)),
          hasRefused: report.refused.length > 0,
        };
      },
      async afterwards(each, { warehouse }) {
        await tell(each.map(triedOf), warehouse.url);
      },
    });
    return { ends, end: endOfAll(night, names) };
  } catch (error) {
    const reasons = whyNotWhole({ missing: [], stoppedBy: error }, keyPlace);
    const tried = notGood.map(({ name }) => {
      note(name, { settled: night.organizations.get(name)?.settled ?? new Set(), end: couldNotBegin });
      return { name, end: couldNotBegin, reasons, hasRefused: false };
    });
    await tell(tried, surroundings.config.databaseUrl);
    return { error, end: endOfAll(night, names) };
  }

  /** What is settled matters only for a further try. */
  function note(name: string, { settled, end }: NightOfOrganization): void {
    night.organizations.set(name, { settled: end.verdict === 'good' ? new Set() : settled, end });
  }

  function triedOf({ name, result, error }: OrganizationEnd<RoundPart>): TriedOrganization {
    if (result !== undefined) return { name, ...result };
    note(name, { settled: night.organizations.get(name)?.settled ?? new Set(), end: couldNotBegin });
    const reasons = whyNotWhole({ missing: [], stoppedBy: error }, keyPlace);
    return { name, end: couldNotBegin, reasons, hasRefused: false };
  }

  /** Not after a signal: the person who sent it knows. */
  async function tell(tried: readonly TriedOrganization[], databaseUrl: string | undefined): Promise<void> {
    const { config, log, redact, timing, abort } = surroundings;
    if (abort.signal.aborted) return;
    const sending = { config, log, redact, timing, signal: abort.signal };
    await tellRound(sending, { night, end: endOfAll(night, names), tried, names }, databaseUrl, unrecorded);
  }
}

/** The end of a round, over all organizations. */
export function endOfAll({ organizations }: Night, names: readonly string[]): TryEnd {
  const ends = names.map((name) => organizations.get(name)?.end ?? couldNotBegin);
  const verdicts = new Set(ends.map(({ verdict }) => verdict));
  const verdict: Verdict = verdicts.has('bad') ? 'bad' : verdicts.has('early') ? 'early' : 'good';
  const statuses = new Set(ends.map(({ status }) => status));
  return { verdict, status: statusOfAll(statuses), runId: null };
}

function statusOfAll(statuses: ReadonlySet<TryStatus>): TryStatus {
  const [only] = statuses;
  if (statuses.size === 1 && only !== undefined) return only;
  return statuses.has('failed') || statuses.has('partial') ? 'partial' : 'pending';
}
