/**
 * Tells how nights go: a webhook hears when one failed, when it recovered, and once of each answer that was refused; a
 * heartbeat comes after each good try.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type DeliveryTimes, deliver, deliveryTimes } from '../../extract/deliver.ts';
import type { Config } from '../../model/config.ts';
import type { MessageAddress } from '../../model/message-addresses.ts';
import type { NightMessage, TryEnd } from '../../model/night.ts';
import { type Database, openPool, withSession } from '../../warehouse/connection/connection.ts';
import { refuseForeignOwners, refuseMissingSchemas } from '../../warehouse/connection/foreign-owners.ts';
import { readUntoldRefusals, recordRefusalsTold } from '../../warehouse/ledger/refused-slices.ts';
import type { SliceName } from '../../warehouse/ledger/slice-ledger.ts';
import { readToldNights, recordTold, type ToldNights } from '../../warehouse/ledger/told-nights.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { failureInWords, type NightNews, recoveryInWords, refusalInWords } from './night-text.ts';

/** What a process that lives on remembers of the last message: the ledger may not hold it, or not be there when asked. */
export interface ToldHere {
  last?: {
    readonly night: string;
    readonly event: NightMessage;
    /** Whether the ledger holds it: then that knows better, as far as it can be asked. */
    readonly isRecorded: boolean;
  };
}

/** What telling needs to know. */
type Surroundings = Pick<JobSurroundings, 'log' | 'redact' | 'timing'> & {
  readonly config: Pick<Config, 'messages'>;
  /** Ends it, whatever is waited for. */
  readonly signal: AbortSignal;
};

/** The ledger is asked before and after a message: it may be what is in trouble. */
const longestAskMs = 1_500;
/** All of a telling but the last question: the ledger, three attempts, and the time between them. */
const longestTellingMs = 17_000;

/**
 * Tells of a try that has ended, if somebody is to be told. `databaseUrl` is where it is known what was told; undefined
 * where that cannot be asked. Never throws; what cannot be delivered is a warning. Whoever waits for the end of a run waits
 * for this at most 20 s: `times` are over before, and begin for message and heartbeat at once.
 */
export async function tellNight(
  surroundings: Surroundings,
  news: NightNews,
  end: TryEnd,
  databaseUrl: string | undefined,
  here: ToldHere = {},
  times = deliveryTimes(longestTellingMs, surroundings.timing),
): Promise<void> {
  const { webhook, heartbeat } = surroundings.config.messages;
  await Promise.all([
    end.verdict === 'good' && heartbeat !== undefined
      ? send(surroundings, heartbeat, undefined, times)
      : undefined,
    end.verdict !== 'early' && webhook !== undefined
      ? notify(surroundings, webhook, news, end, databaseUrl, here, times)
      : undefined,
  ]);
}

async function notify(
  surroundings: Surroundings,
  webhook: MessageAddress,
  news: NightNews,
  { verdict, status, runId }: TryEnd,
  databaseUrl: string | undefined,
  here: ToldHere,
  times: DeliveryTimes,
): Promise<void> {
  const { signal, redact } = surroundings;
  const { night } = news;
  const ask = <Answer>(question: (db: Database) => Promise<Answer>) =>
    databaseUrl === undefined ? undefined : askBriefly(databaseUrl, signal, question);
  const known = await ask(async (db) => ({
    told: await readToldNights(db, night, runId),
    refused: await readUntoldRefusals(db, runId),
  }));
  const { told, refused = [] } = known ?? {};
  const event = verdict === 'bad' ? 'night_failed' : 'night_recovered';
  if (!isWanted(event, news, told, here)) {
    if (event === 'night_failed' && told !== undefined) {
      // What only this process knows, others should know, too; and the other way round.
      if (told.isFailureTold) here.last = { night, event, isRecorded: true };
      else await remember([]);
    }
    if (verdict === 'good' && refused.length > 0 && told?.isFailureTold !== true) await tellRefusal();
    return;
  }
  const inWords = event === 'night_failed' ? failureInWords : recoveryInWords;
  const message = { event, text: inWords(news, refused, redact), night, status, run_id: runId };
  if (!(await send(surroundings, webhook, message, times))) return;
  here.last = { night, event, isRecorded: false };
  await remember(refused);

  async function remember(named: readonly SliceName[]): Promise<void> {
    if (runId === null) return;
    const isRecorded = await ask(async (db) => {
      await recordTold(db, runId, event);
      if (named.length > 0) await recordRefusalsTold(db, runId, named);
      return true;
    });
    if (isRecorded === true) here.last = { night, event, isRecorded };
  }

  /**
   * Nothing failed, so that nothing recovers: such a message is no part of what was told of failures. Only the slices
   * remember it, and the next one that is refused is told again.
   */
  async function tellRefusal(): Promise<void> {
    const refusal: NightMessage = 'night_failed';
    const text = refusalInWords(news, refused, redact);
    const message = { event: refusal, text, night, status, run_id: runId };
    const sent = await send(surroundings, webhook, message, times);
    if (sent && runId !== null) await ask((db) => recordRefusalsTold(db, runId, refused));
  }
}

/** One failure is told per night, and one recovery after failures. */
function isWanted(
  event: NightMessage,
  { night }: NightNews,
  told: ToldNights | undefined,
  { last }: ToldHere,
): boolean {
  if (event === 'night_failed')
    return told?.isFailureTold !== true && !(last?.event === event && last.night === night);
  const isKnownHereOnly = last !== undefined && (!last.isRecorded || told === undefined);
  return isKnownHereOnly ? last.event === 'night_failed' : told?.isFailureLast === true;
}

/** Whether it was delivered; warns when it was not. */
async function send(
  { log, signal }: Surroundings,
  address: MessageAddress,
  message: object | undefined,
  times: DeliveryTimes,
): Promise<boolean> {
  const problem = await deliver(address, message, signal, times);
  if (problem !== undefined && !signal.aborted)
    log.warn(`${address.variable}: the message was not delivered: ${problem}`);
  return problem === undefined;
}

/** What the database answers; undefined when it does not soon, or says that it cannot. */
async function askBriefly<Answer>(
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
  // Gives up what nobody waits for any more.
  late.abort();
  return answer;
}
