/** Begins each night when it is due, and tries it again until it is whole or the next night begins. */
import type { Clock } from '../../model/clock.ts';
import { type Day, earliestDay, yesterday } from '../../model/day.ts';
import { type Night, newNight, type OnNightEvent, type TryEnd } from '../../model/night.ts';
import type { DueTimes } from './due-times.ts';
import { putBackMs, type WaitUntil } from './wait-until.ts';

/** The things that keeping nights needs. */
export interface NightOptions {
  readonly due: DueTimes;
  readonly clock: Clock;
  readonly waitUntil: WaitUntil;
  /** Ends the loop, also during a wait. */
  readonly signal: AbortSignal;
  /** The time from the end of a try that was not good to the next try. */
  readonly retryMs: number;
  /** Whether a night that was due before the start need not be tried. */
  readonly isWhole: (day: Day) => Promise<boolean>;
  /** Tries a night. It must not throw, and must end soon after the signal aborts. */
  readonly attempt: (night: Night) => Promise<TryEnd>;
  readonly onEvent: OnNightEvent;
}

/** A night that is not whole yet. */
interface OpenNight extends Night {
  tries: number;
  failedTries: number;
  nextTryMs: number;
}

/** The night of a due time: the day before, in UTC. */
function nightOf(dueMs: number): Day {
  return yesterday(() => dueMs);
}

/**
 * Keeps nights until the signal aborts, with one try at a time. Resolves to the numbers of all tries and of bad
 * tries.
 */
export async function keepNights(keeping: NightOptions): Promise<{ tries: number; badTries: number }> {
  const { due, clock, signal, onEvent } = keeping;
  const counts = { tries: 0, badTries: 0 };
  let night: OpenNight | undefined = await missedNight(keeping);
  let dueMs = due.next(clock());
  let latestMs = clock();
  while (!signal.aborted) {
    if (clock() < latestMs - putBackMs) {
      // The clock was set back. Compute the due time again.
      night = await missedNight(keeping);
      dueMs = due.next(clock());
      latestMs = clock();
    }
    latestMs = Math.max(latestMs, clock());
    const nextTryMs = Math.min(dueMs, night?.nextTryMs ?? dueMs);
    onEvent({ type: 'waiting', nextTryMs, failedTries: night?.failedTries ?? 0 });
    await keeping.waitUntil(nextTryMs, signal);
    if (signal.aborted) break;
    if (clock() >= dueMs) {
      // Several nights may be due after a long try or after sleep. Try only the last one: it fills the gaps of the
      // others.
      const day = nightOf(due.last(clock()));
      night = night?.day === day ? { ...night, ...newNight(day) } : openNight(day, clock());
      dueMs = due.next(clock());
    }
    if (night === undefined || clock() < nextTryMs) continue;
    night.tries += 1;
    onEvent({ type: 'try-began', night: night.day, number: night.tries });
    const beganMs = clock();
    const end = await keeping.attempt(night);
    // A try that a signal ended is not a failed try.
    if (signal.aborted) break;
    counts.tries += 1;
    if (end.verdict === 'bad') {
      counts.badTries += 1;
      night.failedTries += 1;
      night.failingSinceMs ??= beganMs;
    }
    const isWhole = end.verdict === 'good';
    onEvent({ type: 'try-ended', night: night.day, end, failedTries: isWhole ? 0 : night.failedTries });
    night.nextTryMs = clock() + keeping.retryMs;
    if (isWhole) night = undefined;
  }
  return counts;
}

/** The last night that was due before now, if it is not whole. */
async function missedNight({ due, clock, isWhole }: NightOptions): Promise<OpenNight | undefined> {
  const lastMs = due.last(clock());
  if (!Number.isFinite(lastMs)) return undefined;
  const day = nightOf(lastMs);
  if (day < earliestDay) return undefined;
  return (await isWhole(day)) ? undefined : openNight(day, clock());
}

function openNight(day: Day, nextTryMs: number): OpenNight {
  return { ...newNight(day), tries: 0, failedTries: 0, nextTryMs };
}
