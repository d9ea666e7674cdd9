/** What is looked at before the first night: whether one was missed, and whether database and credential can be used. */
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
 * Whether a night need not be tried, because its day is whole in the warehouse. Where the ledger does not rule that out,
 * the platform is sent one request, which shows whose day it is, and whether the credential can be used. Warns of what
 * cannot be used, by the name of its setting; a night of which nothing can be known is not whole.
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

/** Whether the ledger holds everything of a day, and no last reading of it failed. What was refused waits for a person. */
function isWhole({ ledger }: KnownOrganization, day: Day): boolean {
  return dailySources.every(({ name }) => {
    const entry = ledger.get(ledgerKey(name, day));
    return isHeld(entry) && (entry?.lastFailed === false || entry?.refused === 'last');
  });
}

/** Undefined when the database cannot be used, which is told. */
async function readOrganizations(surroundings: JobSurroundings): Promise<KnownOrganization[] | undefined> {
  const { log } = surroundings;
  try {
    return await withWarehouse(surroundings, 'writes', ({ warehouse }) => knownOrganizations(warehouse.pool));
  } catch (error) {
    if (!surroundings.abort.signal.aborted)
      log.warn(
        { reason: explain(error) },
        'the database cannot be used as it is, and no night can be loaded',
      );
    return undefined;
  }
}

/** Sends one request. Returns the organization, if the answer names one; warns when it was refused or did not come. */
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
    const setting = error instanceof CredentialsRefusedError ? 'API_KEY' : 'API_BASE_URL';
    log.warn({ reason: explain(error) }, `${setting}: the platform cannot be asked as it is set`);
    return undefined;
  }
}

/** Whose credential is not accepted hears so before anything is said of the day (platform-api.md §7). */
function isUnderstood(error: unknown): boolean {
  return error instanceof RequestFailedError && error.status === 400;
}
