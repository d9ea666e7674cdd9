import { readWindow } from '../extract/analytics.ts';
import type { PlatformClient } from '../extract/platform-client.ts';
import type { Day } from '../model/day.ts';
import { RequestFailedError, UnexpectedAnswerError } from '../model/errors.ts';
import type { DailySource } from '../model/source.ts';

/** One endpoint may be down while the others are up: asked again once, and then the next one is asked. */
const retriesWhereOthersRemain = 1;

/**
 * Learns the organization of the credential from the first of `probes` that answers for `day`: an endpoint that is
 * down must not keep the others from being loaded. Throws what the last one threw, or any other error at once.
 */
export async function learnOrganization(
  client: PlatformClient,
  probes: readonly DailySource[],
  day: Day,
): Promise<string> {
  for (const [index, { path }] of probes.entries()) {
    const isLast = index === probes.length - 1;
    try {
      const patience = isLast ? {} : { maxRetries: retriesWhereOthersRemain };
      return (await readWindow(client, path, { from: day, to: day }, patience)).organizationId;
    } catch (error) {
      const isDown = error instanceof RequestFailedError || error instanceof UnexpectedAnswerError;
      if (isLast || !isDown) throw error;
    }
  }
  throw new TypeError('expected an endpoint to ask for the organization');
}
