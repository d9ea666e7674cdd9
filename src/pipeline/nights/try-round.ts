/** Tries a night once for many organizations: those of ORGANIZATIONS_FILE for which it is not whole yet. */

import type { Night, TryEnd, TryStatus, Verdict } from '../../model/night.ts';
import { keyPlaceInFile } from '../../model/organizations/organization-config.ts';
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
  const notGood = entries.filter(({ name }) => night.organizations.get(name)?.end.verdict !== 'good');
  try {
    const ends = await withEachOrganization<RoundPart>(surroundings, notGood, {
      access: 'writes',
      asksPlatform: true,
      async work(own) {
        const settled = night.organizations.get(own.name)?.settled ?? new Set<string>();
        const { report, end, missing, unanswered } = await runNight(
          own,
          { day: night.day, settled },
          endpoints,
        );
        // What is settled matters only for a further try.
        night.organizations.set(own.name, { settled: end.verdict === 'good' ? new Set() : settled, end });
        const { stoppedBy } = report;
        return {
          report: compactReport(report, own.redact),
          end,
          reasons: whyNotWhole({ missing, stoppedBy, unanswered }, keyPlaceInFile).map((reason) =>
            own.redact(reason),
          ),
          hasRefused: report.refused.length > 0,
        };
      },
      async afterwards(each, { warehouse }) {
        await tell(surroundings, night, each.map(triedOf), warehouse.url, unrecorded);
      },
    });
    return { ends, end: endOfAll(night, namesOf(surroundings)) };
  } catch (error) {
    return { error, end: await roundCouldNotBegin(surroundings, night, error, unrecorded) };
  }

  function triedOf({ name, result, error }: OrganizationEnd<RoundPart>): TriedOrganization {
    return result === undefined ? notBegun(night, name, error) : { name, ...result };
  }
}

/** Notes that a try could not begin for any organization, and sends the message about it. */
export async function roundCouldNotBegin(
  surroundings: JobSurroundings,
  night: Night,
  error: unknown,
  unrecorded: UnrecordedMessages,
): Promise<TryEnd> {
  const { databaseUrl, organizations = [] } = surroundings.config;
  const tried = organizations
    .filter(({ name }) => night.organizations.get(name)?.end.verdict !== 'good')
    .map(({ name }) => notBegun(night, name, error));
  await tell(surroundings, night, tried, databaseUrl, unrecorded);
  return endOfAll(night, namesOf(surroundings));
}

/** Notes that a try could not begin for an organization. */
function notBegun(night: Night, name: string, error: unknown): TriedOrganization {
  const settled = night.organizations.get(name)?.settled ?? new Set<string>();
  night.organizations.set(name, { settled, end: couldNotBegin });
  const reasons = whyNotWhole({ missing: [], stoppedBy: error, unanswered: new Map() }, keyPlaceInFile);
  return { name, end: couldNotBegin, reasons, hasRefused: false };
}

/** Sends the messages of a try; not after a signal, because the person who sent it knows. */
async function tell(
  surroundings: JobSurroundings,
  night: Night,
  tried: readonly TriedOrganization[],
  databaseUrl: string | undefined,
  unrecorded: UnrecordedMessages,
): Promise<void> {
  const { config, log, redact, timing, abort } = surroundings;
  if (abort.signal.aborted) return;
  const names = namesOf(surroundings);
  const news = { night, end: endOfAll(night, names), tried, names };
  await tellRound({ config, log, redact, timing, signal: abort.signal }, news, databaseUrl, unrecorded);
}

function namesOf({ config: { organizations = [] } }: JobSurroundings): string[] {
  return organizations.map(({ name }) => name);
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
