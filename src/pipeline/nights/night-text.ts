/**
 * What is told of a night, in words. It goes to a chat that many may read: endpoints and days, and sentences of our own;
 * never what the platform says of an error, in which a person may be named.
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

/** What happened to a night that is told of. */
export interface NightNews {
  readonly night: Night['day'];
  readonly runId: number | null;
  /** Slices that failed, or are pending. */
  readonly missing: readonly Named[];
  readonly stoppedBy: unknown;
  /** Names of the endpoints that the try was about. */
  readonly endpoints: readonly string[];
}

type Named = Pick<Slice, 'endpoint' | 'key'>;

/** Endpoints that are named, with their days, before the rest is only counted. */
const mostNamed = 10;

/** Why a night is not whole; also names slices that were refused. */
export function failureInWords(
  { night, runId, missing, stoppedBy }: NightNews,
  refused: readonly Named[],
  sanitize: Sanitize,
): string {
  const what = runId === null ? 'could not begin' : `is not whole after run ${runId}`;
  const reasons = [
    ...(missing.length > 0 ? [`missing: ${slicesInWords(missing)}`] : []),
    ...(stoppedBy === undefined ? [] : [reasonInWords(stoppedBy)]),
    ...(refused.length > 0 ? [refusedInWords(refused)] : []),
  ];
  return sanitize(`Night ${night} ${what}: ${reasons.join('; ') || 'see the log'}`);
}

/** That nothing is missing any more of what was asked for; also names slices that were refused. */
export function recoveryInWords(
  { night, runId, endpoints }: NightNews,
  refused: readonly Named[],
  sanitize: Sanitize,
): string {
  const whole = `nothing is missing of ${endpoints.join(', ')}`;
  const parts = refused.length > 0 ? [whole, refusedInWords(refused)] : [whole];
  return sanitize(`Night ${night} has recovered in run ${runId}: ${parts.join('; ')}`);
}

/** That a night has brought all, and somebody must decide about slices that were refused. */
export function refusalInWords(
  { night, runId }: NightNews,
  refused: readonly Named[],
  sanitize: Sanitize,
): string {
  return sanitize(`Night ${night} needs a decision after run ${runId}: ${refusedInWords(refused)}`);
}

function refusedInWords(refused: readonly Named[]): string {
  return (
    `refused, because most of what is held would go: ${slicesInWords(refused)}; ` +
    `what is held stays, and \`${inShell('status')}\` says how to let the answer through`
  );
}

/** Such as `tokens 2026-03-08 to 2026-03-09, users 2026-03-09`. A key that is no day may name what nobody should read. */
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

/** Of errors whose words are ours, these words. */
function reasonInWords(error: unknown): string {
  if (error instanceof CredentialsRefusedError)
    return `the platform refuses the credential (${error.status}); API_KEY or API_KEY_FILE must hold a valid one`;
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
