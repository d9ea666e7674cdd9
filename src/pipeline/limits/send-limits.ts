/** Sends credit limits, for at most a hundred users per request. It records each request before and after it. */
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

/** Statuses that do not mean that the platform refuses the users: refused credential, timeout, rate limit. */
const notOfRequest = new Set([401, 403, 408, 429]);

/** What sending needs. */
export interface Sending {
  readonly pool: pg.Pool;
  readonly client: PlatformClient;
  readonly orgKey: number;
  readonly runId: string;
  readonly known: KnownLimits;
  readonly signal: AbortSignal;
  readonly redact: Sanitizer;
  readonly onEvent: OnRunEvent;
  /** Called with each new outcome of a change; before the request it is `unknown`. */
  readonly onOutcome: (change: PlannedChange, outcome: Outcome) => void;
  /** Called with e-mails of an answer that were not in the request, and with the number of entries without an e-mail. */
  readonly onOthers: (emails: readonly string[], unreadable: number) => void;
}

/** A change, and the id of its recorded attempt. */
interface BegunChange {
  readonly change: PlannedChange;
  readonly id: string;
}

/**
 * Sends all changes in their order. If a request gets no answer, the outcome of its changes stays `unknown`, and the next
 * changes are sent. Throws `CredentialsRefusedError` on 401 and 403, errors of the database, and the reason of the signal.
 */
export async function sendLimits(sending: Sending, changes: readonly PlannedChange[]): Promise<void> {
  /**
   * Whether the platform has refused every single user of a request: then no user is the reason, and later requests
   * are not divided into halves.
   */
  let refusesAll = false;

  /** Sends changes whose attempts are recorded. Resolves to true if the platform refused all of their users. */
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

  /** Sends each half alone: the cause of a refusal is not documented (platform-api.md §7), and may be a single user. */
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

/** Records the attempts before the request, so that the next run knows that they may have been sent. */
async function begin(sending: Sending, batch: readonly PlannedChange[]): Promise<BegunChange[]> {
  const ids = await transactOnce(sending.pool, sending.signal, ({ db }) => beginChanges(db, sending, batch));
  for (const change of batch)
    sending.onOutcome(change, { outcome: 'unknown', error: 'the run ended before an answer was recorded' });
  return batch.map((change, index) => ({ change, id: ids[index] ?? '' }));
}

function request({ client }: Sending, batch: readonly BegunChange[]): Promise<LimitsAnswerLists> {
  const users = batch.map(({ change: { email, limit } }) => ({ email, limit }));
  const { method, path } = setLimits;
  // Setting the same limit twice has the same effect, so the request may be repeated.
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
  // Record the cause without the path and the number of attempts, which are the same for all users.
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
  const sanitized = outcomes.map((each) =>
    each.outcome === 'error' ? { ...each, error: sending.redact(each.error) } : each,
  );
  const answered = batch.flatMap(({ change: { email, replaces }, id: changeId }, index): ChangeOutcome[] => {
    const became = sanitized[index];
    if (became === undefined || became.outcome === 'unknown') return [];
    // Only a confirmed limit replaces earlier attempts: after a refusal the limit of an earlier attempt may be in effect.
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
  tell(sending, sanitized, batch);
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
