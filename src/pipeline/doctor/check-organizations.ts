/** Checks the organizations of ORGANIZATIONS_FILE: their keys, and that the platform answers for each. */
import type { Clock } from '../../model/clock.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { doubtful, type Finding, good, unchecked, wrong, wrongAsSaid } from '../../model/finding.ts';
import { keyPlaceInFile } from '../../model/organizations/organization-config.ts';
import type { OrganizationEntry } from '../../model/organizations/organization-entry.ts';
import { readKey } from '../../model/organizations/organization-key.ts';
import { checkApp, checkPlatform } from './check-platform.ts';
import { checkSecretFile } from './check-secret-files.ts';

const atOnce = 4;
const longestMs = 60_000;
/** Lines for organizations that are not well. */
const mostLines = 100;

/** The context of these checks. */
export interface OrganizationsToCheck {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The path and query of a request for a short list of readiness reports. */
  readonly appPath: (entry: OrganizationEntry) => string;
}

/** The result for one organization. */
interface Checked {
  readonly name: string;
  /** Undefined if it is well. */
  readonly finding?: Finding;
  readonly organizationId?: string | undefined;
  readonly clock?: Finding | undefined;
}

/**
 * Checks all of them, four at a time, with at most two requests each, and ends after a minute. Returns one finding for
 * those that are well, and one for each that is not.
 */
export async function checkOrganizations(
  entries: readonly OrganizationEntry[],
  toCheck: OrganizationsToCheck,
): Promise<Finding[]> {
  const { signal } = toCheck;
  const timeIsUp = AbortSignal.timeout(longestMs);
  const either = AbortSignal.any([signal, timeIsUp]);
  const checked = new Map<OrganizationEntry, Checked>();
  const waiting = entries.values();
  const workers = Array.from({ length: atOnce }, async () => {
    for (const entry of waiting) {
      if (either.aborted) return;
      try {
        checked.set(entry, await checkOrganization(entry, { ...toCheck, signal: either }));
      } catch (error) {
        signal.throwIfAborted();
        if (!timeIsUp.aborted) throw error;
      }
    }
  });
  await Promise.all(workers);
  const inOrder = entries.flatMap((entry) => checked.get(entry) ?? []);
  return findingsOf(refusingSameOrganization(inOrder), entries.length);
}

function findingsOf(checked: readonly Checked[], count: number): Finding[] {
  const well = checked.filter(({ finding }) => finding === undefined).length;
  const unwell = checked.flatMap(({ finding }) => finding ?? []);
  const failed = unwell.filter(({ status }) => status === 'failed');
  const inOrder = [...failed, ...unwell.filter(({ status }) => status !== 'failed')];
  const clocks = checked.flatMap(({ clock }) => clock ?? []);
  const clock = clocks.find(({ status }) => status === 'failed') ?? clocks[0];
  const more = inOrder.slice(mostLines);
  const [next, detail] = ['put these in order first', `${more.length} more are not well`];
  return [
    ...(well === 0 ? [] : [good('organizations', `${well} of ${count} answer`)]),
    ...inOrder.slice(0, mostLines),
    ...(more.length === 0
      ? []
      : [(failed.length > mostLines ? wrong : doubtful)('organizations', detail, next)]),
    ...(checked.length === count
      ? []
      : [
          unchecked(
            'organizations',
            `${count - checked.length} were not asked within ${longestMs / 1_000} s`,
          ),
        ]),
    ...(clock === undefined ? [] : [clock]),
  ];
}

async function checkOrganization(
  entry: OrganizationEntry,
  { environment, clock, signal, appPath }: OrganizationsToCheck,
): Promise<Checked> {
  const { name, baseUrl, orgId, key, settings } = entry;
  const ofThis = (finding: Finding): Checked => ({
    name,
    finding: { ...finding, name: `organization ${name}` },
  });
  let apiKey: string;
  try {
    apiKey = readKey(entry, environment);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return ofThis(wrongAsSaid(error.message.slice(`${name}: `.length), 'correct it', name));
  }
  const platform = { platform: { baseUrl, apiKey, apiKeyPlace: keyPlaceInFile }, clock, signal };
  const { findings, organizationId, requests } = await checkPlatform(platform);
  const clockFinding = findings.find((finding) => finding.name === 'clock' && finding.status !== 'skipped');
  const more = { organizationId, clock: clockFinding };
  const bad = findings.find(({ name: of, status }) => of !== 'clock' && !['ok', 'skipped'].includes(status));
  if (bad !== undefined) return { ...ofThis(inWordsOfFile(bad)), ...more };
  if (orgId !== undefined && organizationId !== orgId) {
    const detail = `org_id: expected ${orgId}, but the platform answers as ${organizationId}`;
    return { ...ofThis(wrong(name, detail, `put the key of ${orgId} in the place of this one`)), ...more };
  }
  const files = 'file' in key ? await checkSecretFile('api_key_file', key.file) : [];
  const app =
    settings.appUrl === undefined || requests > 1
      ? []
      : [await checkApp({ ...platform, appUrl: settings.appUrl, path: appPath(entry) })];
  const doubt = [...files, ...app].find(({ status }) => status !== 'ok');
  return { ...(doubt === undefined ? { name } : ofThis(inWordsOfFile(doubt))), ...more };
}

/** A finding about a variable as one about a field of the file. */
function inWordsOfFile({ name, detail, next, ...rest }: Finding): Finding {
  const field = name === 'API_KEY' ? 'its key' : name.toLowerCase();
  const inFile = (text: string) =>
    text
      .replaceAll('API_KEY or API_KEY_FILE', 'the place that api_key_file or api_key_env names')
      .replaceAll(/\b(?:REQUESTS_PER_SECOND|READINESS_PATH)\b/g, (variable) => variable.toLowerCase());
  return { ...rest, name, detail: `${field}: ${inFile(detail)}`, next: next === null ? null : inFile(next) };
}

/** Two names with one organization: the second cannot be loaded. */
function refusingSameOrganization(checked: readonly Checked[]): Checked[] {
  const first = new Map<string, string>();
  return checked.map((each) => {
    const { name, organizationId, finding } = each;
    if (organizationId === undefined || finding?.status === 'failed') return each;
    const other = first.get(organizationId);
    if (other === undefined) {
      first.set(organizationId, name);
      return each;
    }
    const detail = `the platform answers as ${organizationId}, as for ${other}`;
    return {
      ...each,
      finding: wrong(`organization ${name}`, detail, 'give each its own key, or remove one of the two'),
    };
  });
}
