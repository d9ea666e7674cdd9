/** Checks at the start of `schedule`: whether the last night is whole, and whether database and credential work. */
import { ask } from '../../extract/envelope.ts';
import { type Day, yesterday } from '../../model/day.ts';
import { CredentialsRefusedError, explain, RequestFailedError } from '../../model/errors.ts';
import type { RunEvent } from '../../model/run.ts';
import { dailySources, organizationProbes } from '../../sources/registry.ts';
import { ledgerKey } from '../../warehouse/ledger/slice-ledger.ts';
import { type KnownOrganization, knownOrganizations } from '../loading/known-organizations.ts';
import { isHeld } from '../plan/plan.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { withPlatform } from '../runs/with-platform.ts';
import { withWarehouse } from '../runs/with-warehouse.ts';

/**
 * Whether the day of a night is whole in the warehouse, so that the night need not be tried. If an organization in the
 * ledger has the whole day, it sends one request to the platform, to learn the organization of the credential. It warns
 * if the database, the platform or the credential cannot be used, and names the setting. If the ledger cannot be read,
 * the night is not whole.
 */
export async function isNightWhole(surroundings: JobSurroundings, day: Day): Promise<boolean> {
  const organizations = await readOrganizations(surroundings);
  const whole = organizations?.filter((organization) => isWhole(organization, day));
  // The try that follows asks the platform anyway.
  if (whole?.length === 0 || surroundings.abort.signal.aborted) return false;
  const organizationId = await checkCredential(surroundings);
  if (whole === undefined) return false;
  return organizationId === undefined || whole.some((known) => known.organizationId === organizationId);
}

/**
 * Whether the ledger holds all slices of a day, and their last reads did not fail. A refused slice counts as held: a
 * person decides about it.
 */
function isWhole({ ledger }: KnownOrganization, day: Day): boolean {
  return dailySources.every(({ name }) => {
    const entry = ledger.get(ledgerKey(name, day));
    return isHeld(entry) && (entry?.lastFailed === false || entry?.refused === 'last');
  });
}

/** Undefined if the database cannot be used; then it warns. */
async function readOrganizations(surroundings: JobSurroundings): Promise<KnownOrganization[] | undefined> {
  const { log } = surroundings;
  try {
    return await withWarehouse(surroundings, 'writes', ({ warehouse }) => knownOrganizations(warehouse.pool));
  } catch (error) {
    if (!surroundings.abort.signal.aborted)
      log.warn({ reason: explain(error) }, 'the database cannot be used, so no night can be loaded');
    return undefined;
  }
}

/** Sends one request. Returns the organization if the answer names one; warns if the request was refused or failed. */
async function checkCredential(surroundings: JobSurroundings): Promise<string | undefined> {
  const { config, clock, log, abort, observers = [] } = surroundings;
  if (config.platform === undefined) return undefined;
  const [{ name, envelope, partitioning }] = organizationProbes;
  const watching = observers.map((observe) => observe());
  const onEvent = (event: RunEvent) => {
    for (const hear of watching) hear(event);
  };
  try {
    return await withPlatform(surroundings, { maxRetries: 0, onEvent }, async (client) => {
      const request = partitioning.first([yesterday(clock)], 1);
      const purpose = { endpoint: name, slices: [] };
      return (await ask(client, envelope, request, { purpose })).organizationId;
    });
  } catch (error) {
    if (abort.signal.aborted || isUnderstood(error)) return undefined;
    log.warn({ reason: explain(error) }, problemInWords(error));
    return undefined;
  }
}

/** Names the setting to look at. A platform in trouble is not the fault of a setting. */
function problemInWords(error: unknown): string {
  if (error instanceof CredentialsRefusedError)
    return 'API_KEY: requests to the platform fail with this setting';
  const status = error instanceof RequestFailedError ? error.status : undefined;
  const isInTrouble = status !== undefined && (status >= 500 || status === 408 || status === 429);
  return isInTrouble
    ? `the platform answers HTTP ${status} now; no setting needs to change, and the next night asks again`
    : 'API_BASE_URL: requests to the platform fail with this setting';
}

/**
 * The platform checks the credential before the day (platform-api.md §7). So an error about the day shows a good
 * credential.
 */
function isUnderstood(error: unknown): boolean {
  return error instanceof RequestFailedError && error.status === 400;
}
