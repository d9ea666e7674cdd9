/** A night: loading one UTC day, in as many tries as it takes. What a try ended in, and what is told of it. */
import { type Day, endMs } from './day.ts';
import type { RunStatus } from './run.ts';

/**
 * `good`: the run succeeded and nothing of its day is pending. `bad`: it failed, was partial or could not begin, or
 * something of its day is still pending when it should not be any more. `early`: pending, and that is no wonder yet.
 */
export type Verdict = 'good' | 'bad' | 'early';

/** How a try ended: as its run did, or `pending` when that succeeded and something of its day is not there yet. */
export type TryStatus = RunStatus | 'pending';

/** What is told about a night. */
export type NightMessage = 'night_failed' | 'night_recovered';

/** What a try ended in. */
export interface TryEnd {
  readonly verdict: Verdict;
  readonly status: TryStatus;
  /** Null when there was no run: it could not begin. */
  readonly runId: number | null;
}

/** A night that is not whole yet. */
export interface Night {
  /** The day that it loads. */
  readonly day: Day;
  /** What a try has brought, as `ledgerKey` names it: the next try does not ask for it again. */
  readonly settled: Set<string>;
}

/** Something that happens while nights are kept. Times are in ms since 1970. */
export type NightEvent =
  /** Nothing is under way; the next try comes at `nextTryMs`. `failedTries` are those of a night that is not whole. */
  | { readonly type: 'waiting'; readonly nextTryMs: number; readonly failedTries: number }
  /** The first try of a night is number 1. */
  | { readonly type: 'try-began'; readonly night: Day; readonly number: number }
  | {
      readonly type: 'try-ended';
      readonly night: Day;
      readonly end: TryEnd;
      /** Bad tries of this night so far; 0 when it is whole. */
      readonly failedTries: number;
    };

/** Hears of events as they happen; must not throw. */
export type OnNightEvent = (event: NightEvent) => void;

const hourMs = 3_600_000;

/** Judges a try of the night `day` whose run ended as `status` says at `endedMs`. */
export function judgeTry(
  day: Day,
  status: TryStatus,
  { endedMs, graceHours }: { readonly endedMs: number; readonly graceHours: number },
): Verdict {
  if (status === 'succeeded') return 'good';
  return status === 'pending' && endedMs < graceEndMs(day, graceHours) ? 'early' : 'bad';
}

/** Until when it is no wonder that something of a day is not there: so many hours after the day has ended, UTC. */
export function graceEndMs(day: Day, graceHours: number): number {
  return endMs(day) + graceHours * hourMs;
}
