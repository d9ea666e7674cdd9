/** Keeps night after night: begins each when it is due, and tries it again until it is whole or the next one begins. */
import type { Clock } from '../../model/clock.ts';
import { type Day, earliestDay, yesterday } from '../../model/day.ts';
import type { Night, OnNightEvent, TryEnd } from '../../model/night.ts';
import type { DueTimes } from './due-times.ts';
import { putBackMs, type WaitUntil } from './wait-until.ts';

/** What nights are kept by. */
export interface NightKeeping {
  readonly due: DueTimes;
  readonly clock: Clock;
  readonly waitUntil: WaitUntil;
  /** Ends it, whatever is waited for. */
  readonly signal: AbortSignal;
  /** From the end of a try that was not good to the next one. */
  readonly retryMs: number;
  /** Whether a night that was due before we began need not be tried. */
  readonly isWhole: (day: Day) => Promise<boolean>;
  /** Tries a night. Must not throw, and end soon when the signal aborts. */
  readonly attempt: (night: Night) => Promise<TryEnd>;
  readonly onEvent: OnNightEvent;
}

/** A night that is to be tried. */
interface OpenNight extends Night {
  tries: number;
  failedTries: number;
  nextTryMs: number;
}

/** The night that is loaded when it is due at that time. */
function nightOf(dueMs: number): Day {
  return yesterday(() => dueMs);
}

/** Keeps nights until the signal aborts; never two tries at once. Resolves to how many tries there were, and were bad. */
export async function keepNights(keeping: NightKeeping): Promise<{ tries: number; badTries: number }> {
  const { due, clock, signal, onEvent } = keeping;
  const counts = { tries: 0, badTries: 0 };
  let night: OpenNight | undefined = await missedNight(keeping);
  let dueMs = due.next(clock());
  let latestMs = clock();
  while (!signal.aborted) {
    if (clock() < latestMs - putBackMs) {
      // What is due was reckoned by a clock that was wrong, by a year perhaps.
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
      // Of several that came due while a try took long, or the machine slept, the last one fills the gaps of all.
      const day = nightOf(due.last(clock()));
      night = night?.day === day ? { ...night, settled: new Set() } : openNight(day, clock());
      dueMs = due.next(clock());
    }
    if (night === undefined || clock() < nextTryMs) continue;
    night.tries += 1;
    onEvent({ type: 'try-began', night: night.day, number: night.tries });
    const end = await keeping.attempt(night);
    // Whoever is told to end has not failed.
    if (signal.aborted) break;
    counts.tries += 1;
    if (end.verdict === 'bad') counts.badTries += 1;
    if (end.verdict === 'bad') night.failedTries += 1;
    const isWhole = end.verdict === 'good';
    onEvent({ type: 'try-ended', night: night.day, end, failedTries: isWhole ? 0 : night.failedTries });
    night.nextTryMs = clock() + keeping.retryMs;
    if (isWhole) night = undefined;
  }
  return counts;
}

/** The night that should have been loaded before we began, and was not. */
async function missedNight({ due, clock, isWhole }: NightKeeping): Promise<OpenNight | undefined> {
  const lastMs = due.last(clock());
  if (!Number.isFinite(lastMs)) return undefined;
  const day = nightOf(lastMs);
  if (day < earliestDay) return undefined;
  return (await isWhole(day)) ? undefined : openNight(day, clock());
}

function openNight(day: Day, nextTryMs: number): OpenNight {
  return { day, settled: new Set(), tries: 0, failedTries: 0, nextTryMs };
}
