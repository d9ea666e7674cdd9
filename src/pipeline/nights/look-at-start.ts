/** Checks at the start of `schedule`: whether the last night is whole, and whether database and credential work. */
import PQueue from 'p-queue';
import { ask } from '../../extract/envelope.ts';
import { type Day, yesterday } from '../../model/day.ts';
import { CredentialsRefusedError, explain, RequestFailedError } from '../../model/errors.ts';
import type { OrganizationEntry } from '../../model/organizations/organization-entry.ts';
import type { RunEvent } from '../../model/run.ts';
import { dailySources, organizationProbes } from '../../sources/registry.ts';
import { type Database, withSession } from '../../warehouse/connection/connection.ts';
import { readSentMessages, readSentOfOrganizations } from '../../warehouse/ledger/sent-messages.ts';
import { readWholeOrganizations, type WholeOrganization } from '../../warehouse/ledger/whole-day.ts';
import { surroundingsOf } from '../organizations/own-surroundings.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { withPlatform } from '../runs/with-platform.ts';
import { withWarehouse } from '../runs/with-warehouse.ts';
import { readKeptMessages } from './kept-messages.ts';

/** Credentials of organizations that are checked at the same time. */
const checksAtOnce = 4;

/**
 * Whether the day of a night is whole in the warehouse, so that the night need not be tried: for the organization of the
 * credential, or for all of ORGANIZATIONS_FILE. If it may be whole, it sends one request to the platform with each
 * credential. A night of which a failure was told, and no recovery, is tried: the try tells. It warns if the database, the platform or a credential cannot be used, and names the setting. If the ledger
 * cannot be read, the night is not whole.
 */
export async function isNightWhole(surroundings: JobSurroundings, day: Day): Promise<boolean> {
  const whole = await readWhole(surroundings, day);
  const { config, abort } = surroundings;
  if (config.organizations !== undefined) {
    const names = new Set(whole?.map(({ name }) => name));
    const isWhole = config.organizations.every(({ name }) => names.has(name));
    // The try that follows asks the platform anyway.
    if ((whole !== undefined && !isWhole) || abort.signal.aborted) return false;
    await checkCredentials(surroundings, config.organizations);
    return isWhole;
  }
  if (whole?.length === 0 || abort.signal.aborted) return false;
  const organizationId = await checkCredential(surroundings);
  if (whole === undefined) return false;
  return organizationId === undefined || whole.some((known) => known.organizationId === organizationId);
}

/**
 * The organizations that have the whole day; none if a failure of its night was told last, for one organization: only
 * a try can tell that the night has recovered. Undefined if the database cannot be used; then it warns. */
async function readWhole(
  surroundings: JobSurroundings,
  day: Day,
): Promise<readonly WholeOrganization[] | undefined> {
  const { log } = surroundings;
  const endpoints = dailySources.map(({ name }) => name);
  try {
    return await withWarehouse(surroundings, 'writes', ({ warehouse: { pool } }) =>
      withSession(pool, async ({ db }) =>
        (await isLastToldFailed(surroundings, db, day)) ? [] : readWholeOrganizations(db, day, endpoints),
      ),
    );
  } catch (error) {
    if (!surroundings.abort.signal.aborted)
      log.warn({ reason: explain(error) }, 'the database cannot be used, so no night can be loaded');
    return undefined;
  }
}

/** Whether a message told that this night failed, and no later one that it recovered. */
async function isLastToldFailed({ config }: JobSurroundings, db: Database, day: Day): Promise<boolean> {
  if (config.messages.webhook === undefined) return false;
  const kept = await readKeptMessages(config);
  if ([...kept.values()].some(({ last }) => last?.night === day && last.event === 'night_failed'))
    return true;
  const { organizations } = config;
  const told =
    organizations === undefined
      ? [await readSentMessages(db, day, null)]
      : (
          await readSentOfOrganizations(
            db,
            day,
            organizations.map(({ name }) => name),
          )
        ).values();
  return [...told].some(({ isFailureSent, isLastFailure }) => isFailureSent && isLastFailure);
}

/** Checks the credentials of organizations of the file. It warns about each one that does not work. */
async function checkCredentials(
  surroundings: JobSurroundings,
  organizations: readonly OrganizationEntry[],
): Promise<void> {
  const queue = new PQueue({ concurrency: checksAtOnce });
  await queue.addAll(
    organizations.map((entry) => async () => {
      if (surroundings.abort.signal.aborted) return;
      try {
        await checkCredential(surroundingsOf(entry, surroundings, true));
      } catch (error) {
        surroundings.log.warn({ organization: entry.name, reason: explain(error) }, 'the key cannot be read');
      }
    }),
  );
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
