/** Learns at the beginning of a run the organization of the credential, and the last day that the platform serves. */

import type { RequestOptions } from '../../extract/api-request.ts';
import { AttemptError } from '../../extract/attempt-error.ts';
import { ask } from '../../extract/envelope.ts';
import type { PlatformClient } from '../../extract/platform-client.ts';
import type { Clock } from '../../model/clock.ts';
import { addDays, type Day, earliestDay, yesterday } from '../../model/day.ts';
import { RequestFailedError, UnexpectedAnswerError } from '../../model/errors.ts';
import type { OnRunEvent } from '../../model/run.ts';
import type { Source } from '../../model/source.ts';

/** One endpoint may be down while others are up: after one retry the next endpoint is asked. */
const retriesWhereOthersRemain = 1;
/** If the platform does not send its time, so many older days are tried, one after the other. */
const mostOlderDays = 7;

/** The result of the first answer. */
export interface LearnedOrganization {
  readonly organizationId: string;
  /** The requested day, or an older one if the platform does not serve that day yet. */
  readonly servedUntil: Day;
}

/** The context of the request. */
export interface OrganizationQuestion {
  readonly client: PlatformClient;
  /** Endpoints to ask, one after the other, so that one that is down does not stop the run. */
  readonly probes: readonly Source[];
  readonly clock: Clock;
  readonly onEvent: OnRunEvent;
}

/**
 * Learns the organization of the credential from the first probe that answers for `day`. If all probes refuse that
 * day (400), asks for an older one: `day` may still be today at the platform (platform-api.md §7, §8). Throws the
 * last probe's error, and any error that is not about one endpoint at once.
 */
export async function learnOrganization(
  question: OrganizationQuestion,
  day: Day,
): Promise<LearnedOrganization> {
  const { client, probes } = question;
  let refused: { readonly probe: Source; readonly error: RequestFailedError } | undefined;
  let lastError: unknown = new TypeError('expected an endpoint to ask for the organization');
  for (const [index, probe] of probes.entries()) {
    const requestOptions = index === probes.length - 1 ? {} : { maxRetries: retriesWhereOthersRemain };
    try {
      const organizationId = await organizationOf(client, probe, day, requestOptions);
      return { organizationId, servedUntil: day };
    } catch (error) {
      const isDown = error instanceof RequestFailedError || error instanceof UnexpectedAnswerError;
      if (!isDown) throw error;
      if (isRefusal(error)) refused ??= { probe, error };
      lastError = error;
    }
  }
  const learned = refused && (await learnFromOlderDay(question, day, refused.probe, refused.error));
  if (learned === undefined) throw lastError;
  return learned;
}

/** The organization that a probe names for a day. Throws `UnexpectedAnswerError` if it names none. */
async function organizationOf(
  client: PlatformClient,
  { name, envelope, partitioning }: Source,
  day: Day,
  requestOptions: RequestOptions = {},
): Promise<string> {
  // Asks for one record if the endpoint has a page size.
  const { organizationId } = await ask(client, envelope, partitioning.first([day], 1), {
    ...requestOptions,
    purpose: { endpoint: name, slices: [] },
  });
  if (organizationId === undefined)
    throw new UnexpectedAnswerError(
      `expected an answer of ${name} to name its organization, but it does not`,
    );
  return organizationId;
}

function isRefusal(error: unknown): error is RequestFailedError {
  return error instanceof RequestFailedError && error.status === 400;
}

/** Tries older days; undefined if the probe refuses all of them. */
async function learnFromOlderDay(
  { client, clock, onEvent }: OrganizationQuestion,
  day: Day,
  probe: Source,
  refusal: RequestFailedError,
): Promise<LearnedOrganization | undefined> {
  const timeThere = refusal.cause instanceof AttemptError ? refusal.cause.platformTimeMs : undefined;
  const yesterdayThere = timeThere === undefined ? day : yesterday(() => timeThere);
  let older = yesterdayThere < day ? yesterdayThere : addDays(day, -1);
  for (let asked = 0; asked < mostOlderDays && older >= earliestDay; asked++) {
    try {
      const organizationId = await organizationOf(client, probe, older);
      // A past day was refused for another reason: it fails later like any other slice.
      const isNewest = yesterdayThere < day || day >= yesterday(clock);
      if (!isNewest) return { organizationId, servedUntil: day };
      onEvent({ type: 'day-not-served', day, servedUntil: older, timeHere: clock(), timeThere });
      return { organizationId, servedUntil: older };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      older = addDays(older, -1);
    }
  }
  return undefined;
}
