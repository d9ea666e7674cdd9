/**
 * The texts of messages about a night. Many people may read them in a chat. So they contain endpoints, days and sentences
 * of this program, but no error text of the platform, because that may name a person.
 */
import { isDay } from '../../model/day.ts';
import { inShell } from '../../model/installation.ts';
import type { Night } from '../../model/night.ts';
import type { AttemptStatus } from '../../model/run.ts';
import type { Sanitize } from '../../model/sanitize.ts';
import type { Slice } from '../../model/source.ts';
import { stopInWords } from './failure-words.ts';

/** The result of a try, for a message. */
export interface NightNews {
  readonly night: Night['day'];
  readonly runId: number | null;
  /** Slices that failed, or are pending. */
  readonly missing: readonly MissingSlice[];
  readonly stoppedBy: unknown;
  /** Endpoints whose last request had no good answer, with the result of that. */
  readonly unanswered: ReadonlyMap<string, AttemptStatus>;
  /** The first failed try of this night began then, in ms since 1970; undefined if nothing failed. */
  readonly failingSinceMs: number | undefined;
  /** The next try begins then, in ms since 1970; undefined if nothing will try again. */
  readonly nextTryMs: number | undefined;
  /** The names of the endpoints of the try. */
  readonly endpoints: readonly string[];
}

type Named = Pick<Slice, 'endpoint' | 'key'>;

/** A slice that a night lacks. */
export interface MissingSlice extends Named {
  /** Without texts of the platform. */
  readonly why: string;
}

/** The largest number of endpoints that a message names; it counts the others. */
const mostNamed = 10;

/** Says why a night is not whole, since when, and when it is tried again; and names refused slices. */
export function failureInWords(
  { night, runId, missing, stoppedBy, unanswered, failingSinceMs, nextTryMs }: NightNews,
  refused: readonly Named[],
  sanitize: Sanitize,
): string {
  const what = runId === null ? 'could not begin' : `is not whole after run ${runId}`;
  const reasons = [
    ...whyNotWhole({ missing, stoppedBy, unanswered }),
    ...(refused.length > 0 ? [refusedInWords(refused)] : []),
  ];
  const since = failingSinceMs === undefined ? '' : ` It has failed since ${minuteOf(failingSinceMs)}.`;
  const next =
    nextTryMs === undefined
      ? `The next night asks again, and so does \`${inShell(`nightly --date ${night}`)}\`.`
      : `The next try is at ${minuteOf(nextTryMs)}.`;
  return sanitize(`Night ${night} ${what}: ${reasons.join('; ') || 'see the log'}.${since} ${next}`);
}

/** Why a night is not whole: the missing slices, and what stopped the run. `keyPlace` is where people put the key. */
export function whyNotWhole(
  { missing, stoppedBy, unanswered }: Pick<NightNews, 'missing' | 'stoppedBy' | 'unanswered'>,
  keyPlace?: string,
): string[] {
  return [
    ...(missing.length > 0 ? [`missing: ${missingInWords(missing)}`] : []),
    ...(stoppedBy === undefined ? [] : [stopInWords(stoppedBy, unanswered, keyPlace)]),
  ];
}

/** Says that a night is whole after a failure, and names refused slices. */
export function recoveryInWords(
  { night, runId, endpoints }: NightNews,
  refused: readonly Named[],
  sanitize: Sanitize,
): string {
  const whole = `nothing is missing of ${endpoints.join(', ')}`;
  const parts = refused.length > 0 ? [whole, refusedInWords(refused)] : [whole];
  return sanitize(`Night ${night} has recovered in run ${runId}: ${parts.join('; ')}`);
}

/** Says that a night is whole, but a person must decide about refused slices. */
export function refusalInWords(
  { night, runId }: NightNews,
  refused: readonly Named[],
  sanitize: Sanitize,
): string {
  return sanitize(`Night ${night} needs a decision after run ${runId}: ${refusedInWords(refused)}`);
}

/** Names refused slices, and says what to do. */
export function refusedInWords(refused: readonly Named[]): string {
  return (
    `refused, because most of what is held would go: ${slicesInWords(refused)}; ` +
    `what is held stays, and \`${inShell('status')}\` says how to let the answer through`
  );
}

/** Slices that are missing for the same reason share it. */
function missingInWords(missing: readonly MissingSlice[]): string {
  return [...Map.groupBy(missing, ({ why }) => why)]
    .map(([why, slices]) => `${slicesInWords(slices)} (${why})`)
    .join(', ');
}

function minuteOf(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * For example `tokens 2026-03-08 to 2026-03-09, users 2026-03-09`. It leaves out keys that are not days: they may be
 * private.
 */
function slicesInWords(slices: readonly Named[]): string {
  const named = [...Map.groupBy(slices, ({ endpoint }) => endpoint)].map(([endpoint, of]) => {
    const days = of
      .map(({ key }) => key)
      .filter(isDay)
      .sort();
    const [first, last] = [days[0], days.at(-1)];
    if (first === undefined) return endpoint;
    return first === last ? `${endpoint} ${first}` : `${endpoint} ${first} to ${last}`;
  });
  const rest = named.length - mostNamed;
  return `${named.slice(0, mostNamed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
