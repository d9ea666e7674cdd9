/**
 * Makes a change that must not be made twice: when its answer is lost, looks up whether it was made (platform-api.md
 * §4.5).
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  CredentialsRefusedError,
  explain,
  InterruptedError,
  RequestFailedError,
  UnexpectedAnswerError,
} from '../model/errors.ts';
import type { Timing } from '../model/timing.ts';
import { backoffMs } from './retry-after.ts';

/** A change and its look-up. */
export interface Change<Outcome> {
  /** The change in words, for messages: `the creation of "build-01"`. */
  readonly inWords: string;
  /** Advice for messages: how the user can see whether the change was made. */
  readonly advice: string;
  /** Sends the change once. */
  make(): Promise<Outcome>;
  /** The result of the change; undefined when it was not made. */
  lookUp(): Promise<Outcome | undefined>;
}

/** Rules for repeating a change. */
export interface ChangeRules {
  readonly maxRetries: number;
  readonly signal: AbortSignal;
  readonly timing?: Timing | undefined;
  /** Called with a sentence about the loss when an answer is lost. */
  readonly onLost: (sentence: string) => void;
}

/** A change that its answer confirmed, or a look-up after the answer was lost. */
export interface Confirmed<Outcome> {
  readonly outcome: Outcome;
  readonly confirmedBy: 'answer' | 'look-up';
}

/**
 * Makes a change once. When its answer is lost (time-out, reset, 5xx, no JSON), looks up whether it was made, and sends
 * it again only if it was not. Throws `RequestFailedError` when the change is refused, cannot be looked up, or is still
 * not made after the last try; `CredentialsRefusedError` on 401 and 403.
 */
export async function changeOnce<Outcome>(
  change: Change<Outcome>,
  { maxRetries, signal, timing, onLost }: ChangeRules,
): Promise<Confirmed<Outcome>> {
  const unknown = `it is not known whether ${change.inWords} succeeded; ${change.advice}`;
  for (let retry = 0; ; retry++) {
    try {
      return { outcome: await change.make(), confirmedBy: 'answer' };
    } catch (error) {
      if (signal.aborted) throw new InterruptedError(unknown, { cause: signal.reason });
      const isLost = isUncertain(error);
      // A refusal counts at the first try only: later it may mean that an earlier try has made the change.
      if (!isLost && retry === 0) throw error;
      if (isLost) onLost(`the answer to ${change.inWords} was lost: ${explain(error)}`);
      await delay(backoffMs(retry + 1, timing), undefined, { signal }).catch((cause: unknown) => {
        throw new InterruptedError(unknown, { cause });
      });
      const outcome = await change.lookUp().catch((cause: unknown) => {
        if (cause instanceof CredentialsRefusedError) throw cause;
        throw new RequestFailedError(unknown, { cause });
      });
      if (outcome !== undefined) return { outcome, confirmedBy: 'look-up' };
      if (!isLost) throw error;
      if (retry >= maxRetries)
        throw new RequestFailedError(`the platform shows no sign of ${change.inWords}; ${change.advice}`, {
          cause: error,
        });
    }
  }
}

/** Whether a failed request may have made its change. */
function isUncertain(error: unknown): boolean {
  if (error instanceof UnexpectedAnswerError) return true;
  if (!(error instanceof RequestFailedError)) return false;
  const { status } = error;
  // Without a status no answer arrived; with a status of success the body was cut off or is no JSON.
  return status === undefined || status === 408 || status >= 500 || (status >= 200 && status < 300);
}
