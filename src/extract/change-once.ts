/** Changes that must not be made twice: when the answer is lost, it is looked up what became of them (platform-api.md §4.5). */
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

/** A change, and how to find out whether it was made. */
export interface Change<Outcome> {
  /** What it is, for sentences: `the creation of "build-01"`. */
  readonly inWords: string;
  /** What a person may do to see what became of it. */
  readonly advice: string;
  /** Sends it, once. */
  make(): Promise<Outcome>;
  /** What it has led to; undefined where nothing of it is to be seen. */
  lookUp(): Promise<Outcome | undefined>;
}

/** How often it may be tried again, and who hears of a lost answer. */
export interface ChangeRules {
  readonly maxRetries: number;
  readonly signal: AbortSignal;
  readonly timing?: Timing | undefined;
  readonly onLost: (sentence: string) => void;
}

/** What came of a change, and who says so: the answer to it, or what was looked up after that was lost. */
export interface Confirmed<Outcome> {
  readonly outcome: Outcome;
  readonly confirmedBy: 'answer' | 'look-up';
}

/**
 * Makes a change once. Where that ends without an answer (time-out, reset, 5xx, no JSON), looks up what became of it, and
 * makes it again only when nothing of it is to be seen. Throws `RequestFailedError` when it was refused, when it still is
 * not to be seen after the last try, and when that cannot be looked up; `CredentialsRefusedError` on 401 and 403.
 */
export async function changeOnce<Outcome>(
  change: Change<Outcome>,
  { maxRetries, signal, timing, onLost }: ChangeRules,
): Promise<Confirmed<Outcome>> {
  const unknown = `it is not known what became of ${change.inWords}; ${change.advice}`;
  for (let retry = 0; ; retry++) {
    try {
      return { outcome: await change.make(), confirmedBy: 'answer' };
    } catch (error) {
      if (signal.aborted) throw new InterruptedError(unknown, { cause: signal.reason });
      const isLost = isUncertain(error);
      // One that is refused the second time may be refused because the first has come through.
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
        throw new RequestFailedError(`nothing is to be seen of ${change.inWords}; ${change.advice}`, {
          cause: error,
        });
    }
  }
}

/** Whether a request may have been carried out although it failed. */
function isUncertain(error: unknown): boolean {
  if (error instanceof UnexpectedAnswerError) return true;
  if (!(error instanceof RequestFailedError)) return false;
  const { status } = error;
  // Without a status nothing was answered; a success was cut off, or is no JSON.
  return status === undefined || status === 408 || status >= 500 || (status >= 200 && status < 300);
}
