/**
 * Sends messages about nights: to a webhook after a failure, after a recovery, and once for each refused answer; to a
 * heartbeat address after each good try.
 */
import type { DeliveryTimes } from '../../extract/deliver.ts';
import type { MessageAddress } from '../../model/message-addresses.ts';
import type { NightMessage, TryEnd } from '../../model/night.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import { readUntoldRefusals, recordRefusalsTold } from '../../warehouse/ledger/refused-slices.ts';
import {
  readSentMessages,
  recordSentMessage,
  type SentMessages,
} from '../../warehouse/ledger/sent-messages.ts';
import type { SliceName } from '../../warehouse/ledger/slice-ledger.ts';
import { keepMessages, readKeptMessages } from './kept-messages.ts';
import { failureInWords, type NightNews, recoveryInWords, refusalInWords } from './night-text.ts';
import { askBriefly, type SendingSurroundings, send, tellingTimes } from './send-message.ts';

/** The last message, in the memory of `schedule` and in the file of kept messages. The ledger may lack it, or the database may not answer. */
export interface LastMessage {
  last?: {
    readonly night: string;
    readonly event: NightMessage;
    /** Whether the ledger holds this message. Then the ledger counts, because other processes write to it, too. */
    readonly isRecorded: boolean;
  };
  /** A night of which the ledger may lack the first failed try, and when that began, in ms since 1970. */
  failing?: { readonly night: string; readonly sinceMs: number } | undefined;
}

/** The name under which messages are kept without ORGANIZATIONS_FILE. */
const onlyOne = '';

/**
 * Sends the messages of a try that has ended, if the settings want any. The ledger in `databaseUrl` records messages;
 * undefined if it cannot be read. Never throws; it warns if a message cannot be delivered. It takes at most 20 s, because
 * the end of the run waits for it; message and heartbeat share `times`, and are sent at the same time.
 */
export async function tellNight(
  surroundings: SendingSurroundings,
  news: NightNews,
  end: TryEnd,
  databaseUrl: string | undefined,
  here: LastMessage = {},
  times = tellingTimes(surroundings.timing),
): Promise<void> {
  const { webhook, heartbeat } = surroundings.config.messages;
  await Promise.all([
    end.verdict === 'good' && heartbeat !== undefined
      ? send(surroundings, heartbeat, undefined, times)
      : undefined,
    end.verdict !== 'early' && webhook !== undefined
      ? notifyAndKeep(surroundings, webhook, news, end, databaseUrl, here, times)
      : undefined,
  ]);
}

/** What the ledger cannot record is kept in a file, so that the next process knows it. */
async function notifyAndKeep(...telling: Parameters<typeof notify>): Promise<void> {
  const [surroundings, , , , , here] = telling;
  if (here.last === undefined && here.failing === undefined) {
    const { last, failing } = (await readKeptMessages(surroundings.config)).get(onlyOne) ?? {};
    if (last !== undefined) here.last = { ...last, isRecorded: false };
    here.failing = failing;
  }
  await notify(...telling);
  const { last, failing } = here;
  const kept = {
    ...(last?.isRecorded === false && { last: { night: last.night, event: last.event } }),
    ...(failing && { failing }),
  };
  await keepMessages(surroundings, new Map(Object.keys(kept).length > 0 ? [[onlyOne, kept]] : []));
}

async function notify(
  surroundings: SendingSurroundings,
  webhook: MessageAddress,
  news: NightNews,
  { verdict, status, runId }: TryEnd,
  databaseUrl: string | undefined,
  here: LastMessage,
  times: DeliveryTimes,
): Promise<void> {
  const { signal, redact } = surroundings;
  const { night } = news;
  const ask = <Answer>(question: (db: Database) => Promise<Answer>) =>
    databaseUrl === undefined ? undefined : askBriefly(databaseUrl, signal, question);
  const known = await ask(async (db) => ({
    told: await readSentMessages(db, night, runId),
    refused: await readUntoldRefusals(db, runId),
  }));
  const { told, refused = [] } = known ?? {};
  const event = verdict === 'bad' ? 'night_failed' : 'night_recovered';
  noteFailing(here, news, verdict, told !== undefined && runId !== null);
  if (!isWanted(event, news, told, here)) {
    if (event === 'night_failed' && told !== undefined) {
      // The failure was told before. If only this process or only the ledger knows that, let both know.
      if (told.isFailureSent) here.last = { night, event, isRecorded: true };
      else await remember([]);
    }
    // The recovery was told before, and the ledger could not record it.
    if (event === here.last?.event && !here.last.isRecorded) await remember([]);
    if (verdict === 'good' && refused.length > 0 && told?.isFailureSent !== true) await tellRefusal();
    return;
  }
  const inWords = event === 'night_failed' ? failureInWords : recoveryInWords;
  const text = inWords(withFirstFailure(news, told, here), refused, redact);
  const message = { event, text, night, status, run_id: runId };
  if (!(await send(surroundings, webhook, message, times))) return;
  here.last = { night, event, isRecorded: false };
  await remember(refused);

  async function remember(named: readonly SliceName[]): Promise<void> {
    if (runId === null) return;
    const isRecorded = await ask(async (db) => {
      await recordSentMessage(db, [runId], event);
      if (named.length > 0) await recordRefusalsTold(db, runId, named);
      return true;
    });
    if (isRecorded !== true) return;
    here.last = { night, event, isRecorded };
    here.failing = undefined;
  }

  /**
   * Tells of refused slices after a good try. Nothing failed, so do not record a failure: otherwise a recovery would be
   * told next. Record it only for these slices; later refusals are told again.
   */
  async function tellRefusal(): Promise<void> {
    const refusal: NightMessage = 'night_failed';
    const text = refusalInWords(news, refused, redact);
    const message = { event: refusal, text, night, status, run_id: runId };
    const sent = await send(surroundings, webhook, message, times);
    if (sent && runId !== null) await ask((db) => recordRefusalsTold(db, runId, refused));
  }
}

/** Notes the first failed try of a night until the night is good; not if the ledger knows all failed tries. */
function noteFailing(
  here: LastMessage,
  { night, failingSinceMs: sinceMs }: NightNews,
  verdict: TryEnd['verdict'],
  isInLedger: boolean,
): void {
  if (verdict === 'good') here.failing = undefined;
  else if (sinceMs !== undefined && here.failing?.night !== night)
    here.failing = isInLedger ? undefined : { night, sinceMs };
}

/** The ledger or the file may know of a failed try before those of this process. */
function withFirstFailure(
  news: NightNews,
  told: SentMessages | undefined,
  { failing }: LastMessage,
): NightNews {
  const { failingSinceMs, night } = news;
  if (failingSinceMs === undefined) return news;
  const inLedgerMs = told?.firstFailedMs ?? failingSinceMs;
  const keptMs = failing?.night === night ? failing.sinceMs : failingSinceMs;
  return { ...news, failingSinceMs: Math.min(failingSinceMs, inLedgerMs, keptMs) };
}

/** Whether to send a message: one failure per night, and one recovery after failures. */
function isWanted(
  event: NightMessage,
  { night }: NightNews,
  told: SentMessages | undefined,
  { last }: LastMessage,
): boolean {
  if (event === 'night_failed')
    return told?.isFailureSent !== true && !(last?.event === event && last.night === night);
  const isKnownHereOnly = last !== undefined && (!last.isRecorded || told === undefined);
  return isKnownHereOnly ? last.event === 'night_failed' : told?.isLastFailure === true;
}
