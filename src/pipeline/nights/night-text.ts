/**
 * The texts of messages about a night. Many people may read them in a chat. So they contain endpoints, days and sentences
 * of this program, but no error text of the platform, because that may name a person.
 */
import { isDay } from '../../model/day.ts';
import {
  ConfigurationError,
  CredentialsRefusedError,
  LockHeldError,
  WarehouseError,
} from '../../model/errors.ts';
import { inShell } from '../../model/installation.ts';
import type { Night } from '../../model/night.ts';
import type { Sanitize } from '../../model/sanitize.ts';
import type { Slice } from '../../model/source.ts';

/** The result of a try, for a message. */
export interface NightNews {
  readonly night: Night['day'];
  readonly runId: number | null;
  /** Slices that failed, or are pending. */
  readonly missing: readonly Named[];
  readonly stoppedBy: unknown;
  /** The names of the endpoints of the try. */
  readonly endpoints: readonly string[];
}

type Named = Pick<Slice, 'endpoint' | 'key'>;

/** The largest number of endpoints that a message names; it counts the others. */
const mostNamed = 10;

/** Says why a night is not whole, and names refused slices. */
export function failureInWords(
  { night, runId, missing, stoppedBy }: NightNews,
  refused: readonly Named[],
  sanitize: Sanitize,
): string {
  const what = runId === null ? 'could not begin' : `is not whole after run ${runId}`;
  const reasons = [
    ...whyNotWhole({ missing, stoppedBy }),
    ...(refused.length > 0 ? [refusedInWords(refused)] : []),
  ];
  return sanitize(`Night ${night} ${what}: ${reasons.join('; ') || 'see the log'}`);
}

/** Why a night is not whole: the missing slices, and what stopped the run. `keyPlace` is where people put the key. */
export function whyNotWhole(
  { missing, stoppedBy }: Pick<NightNews, 'missing' | 'stoppedBy'>,
  keyPlace = 'API_KEY or API_KEY_FILE',
): string[] {
  return [
    ...(missing.length > 0 ? [`missing: ${slicesInWords(missing)}`] : []),
    ...(stoppedBy === undefined ? [] : [reasonInWords(stoppedBy, keyPlace)]),
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

/** The reason, from errors of this program only. */
function reasonInWords(error: unknown, keyPlace: string): string {
  if (error instanceof CredentialsRefusedError)
    return `the platform refuses the credential (${error.status}); ${keyPlace} must hold a valid one`;
  const sentences: string[] = [];
  for (let current = error; current instanceof Error; current = current.cause) {
    const isOurs =
      current instanceof ConfigurationError ||
      current instanceof WarehouseError ||
      current instanceof LockHeldError;
    if (isOurs) sentences.push(current.message.replaceAll('\n', '; '));
  }
  return sentences.join(': ') || 'see the log for the reason';
}
