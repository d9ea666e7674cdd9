/** A night loads one UTC day, in as many tries as needed: verdicts of tries, and messages about them. */
import { type Day, endMs } from './day.ts';
import type { RunStatus } from './run.ts';

/**
 * `good`: the run succeeded and no slice of the night's day is pending. `bad`: the run failed, was partial or could not
 * begin, or a slice of the day is pending after the grace period. `early`: a slice is pending within the grace period.
 */
export type Verdict = 'good' | 'bad' | 'early';

/** The status of the run, or `pending` when it succeeded but something of its day is missing. */
export type TryStatus = RunStatus | 'pending';

/** Messages about a night. */
export type NightMessage = 'night_failed' | 'night_recovered';

/** The end of a try. */
export interface TryEnd {
  readonly verdict: Verdict;
  readonly status: TryStatus;
  /** Id of the run; null when no run could begin. */
  readonly runId: number | null;
}

/** A night that is not complete yet. */
export interface Night {
  /** The day that it loads. */
  readonly day: Day;
  /** The slices that are done, by `ledgerKey`: the next try skips them. */
  readonly settled: Set<string>;
  /** The organizations of ORGANIZATIONS_FILE that were tried, by name. */
  readonly organizations: Map<string, NightOfOrganization>;
  /** When its first failed try began, in ms since 1970; undefined before one failed. */
  failingSinceMs?: number;
}

/** How far a night is for one of many organizations. */
export interface NightOfOrganization {
  /** The slices that are done, by `ledgerKey`. */
  readonly settled: Set<string>;
  /** The end of its last try. A good one is not tried again. */
  readonly end: TryEnd;
}

/** A night that begins. */
export function newNight(day: Day): Night {
  return { day, settled: new Set(), organizations: new Map() };
}

/** An event of the night scheduler. Times are in ms since 1970. */
export type NightEvent =
  /**
   * No try is running; the next one begins at `nextTryMs`. `failedTries` counts the bad tries of an incomplete night.
   */
  | { readonly type: 'waiting'; readonly nextTryMs: number; readonly failedTries: number }
  /** The first try of a night is number 1. */
  | { readonly type: 'try-began'; readonly night: Day; readonly number: number }
  | {
      readonly type: 'try-ended';
      readonly night: Day;
      readonly end: TryEnd;
      /** Bad tries of this night so far; 0 when it is complete. */
      readonly failedTries: number;
    };

/** Called for every event; must not throw. */
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

/** The end of the grace period of a day, in ms since 1970: so many hours after the day ends in UTC. */
export function graceEndMs(day: Day, graceHours: number): number {
  return endMs(day) + graceHours * hourMs;
}
