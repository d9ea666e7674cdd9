/** The first question of a run: whose data is it, and which day is the last that the platform serves? */

import type { RequestOptions } from '../../extract/api-request.ts';
import { AttemptError } from '../../extract/attempt-error.ts';
import { ask } from '../../extract/envelope.ts';
import type { PlatformClient } from '../../extract/platform-client.ts';
import type { Clock } from '../../model/clock.ts';
import { addDays, type Day, earliestDay, yesterday } from '../../model/day.ts';
import { RequestFailedError, UnexpectedAnswerError } from '../../model/errors.ts';
import type { OnRunEvent } from '../../model/run.ts';
import type { Source } from '../../model/source.ts';

/** One endpoint may be down while the others are up: asked again once, and then the next one is asked. */
const retriesWhereOthersRemain = 1;
/** A platform that does not tell its time is asked for so many older days, one after the other. */
const mostOlderDays = 7;

/** What the first answer tells. */
export interface LearnedOrganization {
  readonly organizationId: string;
  /** The day that was asked for, or an older one where the platform does not serve that day yet. */
  readonly servedUntil: Day;
}

/** Where the answer comes from, and who hears that the clocks differ. */
export interface OrganizationQuestion {
  readonly client: PlatformClient;
  /** Asked one after the other: an endpoint that is down must not keep the others from being loaded. */
  readonly probes: readonly Source[];
  readonly clock: Clock;
  readonly onEvent: OnRunEvent;
}

/**
 * Learns the organization of the credential from the first probe that answers for `day`. Where all of them refuse that
 * day (400), an older one is asked for: `day` may still be today at the platform (platform-api.md §7, §8). Throws what
 * the last one threw, or any other error at once.
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

/** The organization that a probe names for a day. Throws `UnexpectedAnswerError` when it names none. */
async function organizationOf(
  client: PlatformClient,
  { name, envelope, partitioning }: Source,
  day: Day,
  requestOptions: RequestOptions = {},
): Promise<string> {
  // One record is enough, where that can be said.
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

/** The same from an older day; undefined when the probe refuses all of them. */
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
      // A day of the past that is refused for another reason fails by itself, as any other slice.
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
