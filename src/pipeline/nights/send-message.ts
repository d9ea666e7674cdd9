/** Sends a message of a night, and asks the ledger about messages, within a bounded time. */
import { setTimeout as delay } from 'node:timers/promises';
import { type DeliveryTimes, deliver, deliveryTimes } from '../../extract/deliver.ts';
import type { Config } from '../../model/config.ts';
import type { MessageAddress } from '../../model/message-addresses.ts';
import type { Timing } from '../../model/timing.ts';
import { type Database, openPool, withSession } from '../../warehouse/connection/connection.ts';
import { refuseForeignOwners, refuseMissingSchemas } from '../../warehouse/connection/foreign-owners.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';

/** The surroundings that sending needs. */
export type SendingSurroundings = Pick<JobSurroundings, 'log' | 'redact' | 'timing'> & {
  readonly config: Pick<Config, 'messages' | 'dataDirectory' | 'databaseUrl'>;
  /** Ends waits and requests. */
  readonly signal: AbortSignal;
};

/** The ledger is read before a message and written after it. It may be slow or away, so each access has a timeout. */
const longestAskMs = 1_500;
/** The longest time for the first access to the ledger, three attempts to deliver, and the waits between them. */
const longestTellingMs = 17_000;

/** The time that the messages of one try may take together. */
export function tellingTimes(timing: Timing | undefined): DeliveryTimes {
  return deliveryTimes(longestTellingMs, timing);
}

/** Sends a message. Resolves to whether it was delivered; warns if not. */
export async function send(
  { log, signal }: SendingSurroundings,
  address: MessageAddress,
  message: object | undefined,
  times: DeliveryTimes,
): Promise<boolean> {
  const problem = await deliver(address, message, signal, times);
  if (problem !== undefined && !signal.aborted)
    log.warn(`${address.variable}: the message was not delivered: ${problem}`);
  return problem === undefined;
}

/** Resolves to the answer of the database; undefined after an error or a timeout. */
export async function askBriefly<Answer>(
  url: string,
  signal: AbortSignal,
  question: (db: Database) => Promise<Answer>,
): Promise<Answer | undefined> {
  const limits = { lockTimeoutMs: longestAskMs, statementTimeoutMs: longestAskMs };
  const late = new AbortController();
  const ask = async () => {
    const pool = openPool(url, 1, { limits, signal: AbortSignal.any([signal, late.signal]) });
    try {
      return await withSession(pool, async ({ client, db }) => {
        refuseMissingSchemas(await refuseForeignOwners(client));
        return await question(db);
      });
    } finally {
      await pool.end();
    }
  };
  const answered = new AbortController();
  const timeUp = delay(longestAskMs, undefined, { signal: answered.signal }).catch(() => undefined);
  const answer = await Promise.race([ask().catch(() => undefined), timeUp]);
  answered.abort();
  // Cancel the query if it is still running.
  late.abort();
  return answer;
}
