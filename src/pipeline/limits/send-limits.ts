/** Sends credit limits, a hundred users a request at most: recorded before each request and after each answer. */
import type pg from 'pg';
import type { PlatformClient } from '../../extract/platform-client.ts';
import { explain, RequestFailedError, UnexpectedAnswerError } from '../../model/errors.ts';
import type { Outcome, PlannedChange } from '../../model/limit-changes.ts';
import { mostUsersPerRequest, setLimits } from '../../model/platform/credit-limits.ts';
import type { OnRunEvent } from '../../model/run.ts';
import type { Sanitizer } from '../../model/sanitize.ts';
import { transactOnce } from '../../warehouse/connection/reconnect.ts';
import {
  beginChanges,
  type ChangeOutcome,
  type KnownLimits,
  recordAnswers,
} from '../../warehouse/limits/limit-changes.ts';
import { judgeAnswer, type LimitsAnswerLists, openLimitsAnswer } from './judge-answer.ts';

/** Statuses that say nothing of the request itself: it was too early, or too late, or is asked by the wrong one. */
const notOfRequest = new Set([401, 403, 408, 429]);

/** What sending needs, and whom it tells. */
export interface Sending {
  readonly pool: pg.Pool;
  readonly client: PlatformClient;
  readonly orgKey: number;
  readonly runId: string;
  readonly known: KnownLimits;
  readonly signal: AbortSignal;
  readonly redact: Sanitizer;
  readonly onEvent: OnRunEvent;
  /** Hears of the outcome of each change whenever another one is recorded; of unknown ones first. */
  readonly onOutcome: (change: PlannedChange, outcome: Outcome) => void;
  /** E-mails that an answer named though nobody had asked for them. */
  readonly onOthers: (emails: readonly string[], unreadable: number) => void;
}

/** A change whose attempt is recorded. */
interface BegunChange {
  readonly change: PlannedChange;
  readonly id: string;
}

/**
 * Sends all changes in their order. One that the platform does not answer stays unknown, and the others go on; throws
 * `CredentialsRefusedError` on 401 and 403, and what the database or a signal throws.
 */
export async function sendLimits(sending: Sending, changes: readonly PlannedChange[]): Promise<void> {
  /** Whether the platform refused every user of a request one by one: then it is not about users. */
  let refusesAll = false;

  /** Resolves to whether the platform refused all of it. */
  async function sendBegun(batch: readonly BegunChange[]): Promise<boolean> {
    try {
      await recordAnswer(sending, batch, await request(sending, batch));
    } catch (error) {
      if (error instanceof RequestFailedError && isRefusal(error)) {
        if (batch.length > 1 && !refusesAll) return await sendHalves(batch);
        await recordRefusal(sending, batch, error);
        return true;
      }
      if (!(error instanceof RequestFailedError || error instanceof UnexpectedAnswerError)) throw error;
      const reason = explain(error);
      const outcomes = batch.map(() => ({ outcome: 'unknown', error: reason }) as const);
      tell(sending, outcomes, batch);
    }
    return false;
  }

  /** What a refusal is about is not documented (platform-api.md §7): perhaps one user of many. */
  async function sendHalves(batch: readonly BegunChange[]): Promise<boolean> {
    const middle = Math.ceil(batch.length / 2);
    const refusesFirst = await sendBegun(batch.slice(0, middle));
    const refusesSecond = await sendBegun(batch.slice(middle));
    return refusesFirst && refusesSecond;
  }

  for (let start = 0; start < changes.length; start += mostUsersPerRequest) {
    const batch = changes.slice(start, start + mostUsersPerRequest);
    const isRefused = await sendBegun(await begin(sending, batch));
    if (isRefused && batch.length > 1) refusesAll = true;
  }
}

/** Commits the attempts before anything is sent, so that whoever comes next knows that they may have been. */
async function begin(sending: Sending, batch: readonly PlannedChange[]): Promise<BegunChange[]> {
  const ids = await transactOnce(sending.pool, sending.signal, ({ db }) => beginChanges(db, sending, batch));
  for (const change of batch)
    sending.onOutcome(change, { outcome: 'unknown', error: 'the run ended before an answer was recorded' });
  return batch.map((change, index) => ({ change, id: ids[index] ?? '' }));
}

function request({ client }: Sending, batch: readonly BegunChange[]): Promise<LimitsAnswerLists> {
  const users = batch.map(({ change: { email, limit } }) => ({ email, limit }));
  const { method, path } = setLimits;
  // Setting a limit twice is setting it once.
  return client.send({ method, path, body: { users }, isRepeatable: true }, openLimitsAnswer);
}

function isRefusal({ status }: RequestFailedError): boolean {
  return status !== undefined && status >= 400 && status < 500 && !notOfRequest.has(status);
}

async function recordAnswer(
  sending: Sending,
  batch: readonly BegunChange[],
  answer: LimitsAnswerLists,
): Promise<void> {
  const emails = batch.map(({ change }) => change.email);
  const { outcomes, others, unreadable } = judgeAnswer(emails, answer);
  await record(sending, batch, outcomes);
  if (others.length > 0 || unreadable > 0) sending.onOthers(others, unreadable);
}

async function recordRefusal(
  sending: Sending,
  batch: readonly BegunChange[],
  error: RequestFailedError,
): Promise<void> {
  // Without the path and the number of attempts, which are the same for all.
  const reason = explain(error.cause ?? error);
  await record(
    sending,
    batch,
    batch.map(() => ({ outcome: 'error', error: reason })),
  );
}

async function record(
  sending: Sending,
  batch: readonly BegunChange[],
  outcomes: readonly Outcome[],
): Promise<void> {
  const harmless = outcomes.map((each) =>
    each.outcome === 'error' ? { ...each, error: sending.redact(each.error) } : each,
  );
  const answered = batch.flatMap(({ change: { email, replaces }, id: changeId }, index): ChangeOutcome[] => {
    const became = harmless[index];
    if (became === undefined || became.outcome === 'unknown') return [];
    // Only a confirmed limit says what holds now: after a refusal the earlier attempts are as much in doubt as before.
    const given = became.outcome === 'updated' ? replaces : [];
    const error = `no answer is known; change ${changeId} took its place`;
    return [
      { changeId, email, ...became },
      ...given.map((replaced) => ({ changeId: replaced, email, outcome: 'error' as const, error })),
    ];
  });
  await transactOnce(sending.pool, sending.signal, ({ db }) =>
    recordAnswers(db, sending, answered, sending.known),
  );
  tell(sending, harmless, batch);
}

function tell(sending: Sending, outcomes: readonly Outcome[], batch: readonly BegunChange[]): void {
  let set = 0;
  let reason = '';
  batch.forEach(({ change }, index) => {
    const outcome = outcomes[index] ?? { outcome: 'unknown', error: 'no answer' };
    sending.onOutcome(change, outcome);
    if (outcome.outcome !== 'updated') reason ||= outcome.error;
    else if (outcome.confirmed === change.limit) set += 1;
    else reason ||= 'the platform confirmed another limit than the one that was asked for';
  });
  sending.onEvent({
    type: 'limits-answered',
    set,
    notSet: batch.length - set,
    reason: sending.redact(reason),
  });
}
