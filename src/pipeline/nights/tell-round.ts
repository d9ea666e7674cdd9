/**
 * Sends the messages about a night of many organizations: one after a try about all that failed and of which nobody was told
 * yet, one when all of which a failure was told are whole. The heartbeat follows a try in which all are good.
 */
import type { MessageAddress } from '../../model/message-addresses.ts';
import type { Night, NightMessage, TryEnd, TryStatus } from '../../model/night.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import { readUntoldRefusals, recordRefusalsTold } from '../../warehouse/ledger/refused-slices.ts';
import {
  type NightNotBegun,
  readSentOfOrganizations,
  recordNightsNotBegun,
  recordSentMessage,
} from '../../warehouse/ledger/sent-messages.ts';
import { keepMessages, readKeptMessages } from './kept-messages.ts';
import {
  roundFailureInWords,
  roundRecoveryInWords,
  roundRefusalInWords,
  type ToldOrganization,
} from './round-text.ts';
import { askBriefly, type SendingSurroundings, send, tellingTimes } from './send-message.ts';

/** An organization that was tried. */
export interface TriedOrganization {
  readonly name: string;
  readonly end: TryEnd;
  /** Why its night is not whole. */
  readonly reasons: readonly string[];
  readonly hasRefused: boolean;
}

/** The end of a try for all organizations. */
export interface RoundNews {
  readonly night: Night;
  /** Over all organizations, also those that were good before. */
  readonly end: TryEnd;
  readonly tried: readonly TriedOrganization[];
  /** The names of all organizations of the night. */
  readonly names: readonly string[];
}

/** Messages that the ledger could not record, in the memory of `schedule` and in the file of kept messages: the night, and the last message of a name. */
export type UnrecordedMessages = Map<string, { readonly night: string; readonly event: NightMessage }>;

/** The largest number of organizations in `organizations` of a message. */
const mostListed = 100;

/** Sends the messages of a try, if the settings want any. As `tellNight`, it never throws and takes at most 20 s. */
export async function tellRound(
  surroundings: SendingSurroundings,
  news: RoundNews,
  databaseUrl: string | undefined,
  unrecorded: UnrecordedMessages,
): Promise<void> {
  const { webhook, heartbeat } = surroundings.config.messages;
  const times = tellingTimes(surroundings.timing);
  await Promise.all([
    news.end.verdict === 'good' && heartbeat !== undefined
      ? send(surroundings, heartbeat, undefined, times)
      : undefined,
    webhook === undefined
      ? undefined
      : notifyAndKeep(surroundings, webhook, news, databaseUrl, unrecorded, times),
  ]);
}

/** What the ledger cannot record is kept in a file, so that the next process knows it. */
async function notifyAndKeep(...telling: Parameters<typeof notify>): Promise<void> {
  const [surroundings, , , , unrecorded] = telling;
  if (unrecorded.size === 0)
    for (const [name, { last }] of await readKeptMessages(surroundings.config))
      if (last !== undefined) unrecorded.set(name, last);
  await notify(...telling);
  await keepMessages(surroundings, new Map([...unrecorded].map(([name, last]) => [name, { last }])));
}

async function notify(
  surroundings: SendingSurroundings,
  webhook: MessageAddress,
  { night, end, tried, names }: RoundNews,
  databaseUrl: string | undefined,
  unrecorded: UnrecordedMessages,
  times: ReturnType<typeof tellingTimes>,
): Promise<void> {
  const { signal, redact } = surroundings;
  const ask = <Answer>(question: (db: Database) => Promise<Answer>) =>
    databaseUrl === undefined ? undefined : askBriefly(databaseUrl, signal, question);
  const endOf = (name: string) => night.organizations.get(name)?.end;
  const told = await ask((db) => readSentOfOrganizations(db, night.day, names));
  const refusals = new Map(
    (await ask((db) => refusalsOf(db, tried)))?.map(({ name, refused }) => [name, refused]),
  );
  const wordsOf = ({ name, reasons }: Pick<TriedOrganization, 'name' | 'reasons'>): ToldOrganization => ({
    name,
    reasons,
    refused: refusals.get(name) ?? [],
  });
  const isFailureTold = (name: string) => {
    const here = unrecorded.get(name);
    return (
      told?.get(name)?.isFailureSent === true || (here?.event === 'night_failed' && here.night === night.day)
    );
  };
  const isLastFailure = (name: string) =>
    unrecorded.has(name)
      ? unrecorded.get(name)?.event === 'night_failed'
      : told?.get(name)?.isLastFailure === true;

  const failed = tried.filter((each) => each.end.verdict === 'bad');
  const untold = failed.filter(({ name }) => !isFailureTold(name));
  if (untold.length > 0) {
    await tell('night_failed', untold.map(wordsOf), roundFailureInWords, end.status);
    return;
  }
  // A failure may have been told that the ledger does not know, because there was no run.
  await remember(
    'night_failed',
    failed.filter(({ name }) => unrecorded.has(name)),
  );
  await remember(
    'night_recovered',
    tried.filter(
      ({ name, end: ofOne }) => ofOne.verdict === 'good' && unrecorded.get(name)?.event === 'night_recovered',
    ),
  );
  const toldOf = names.filter(isLastFailure);
  if (toldOf.length > 0 && toldOf.every((name) => endOf(name)?.verdict === 'good')) {
    const recovered = toldOf.map((name) => wordsOf({ name, reasons: [] }));
    await tell('night_recovered', recovered, roundRecoveryInWords, end.status);
    return;
  }
  const refused = tried.filter(({ name }) => refusals.has(name)).map(wordsOf);
  // Nothing failed, so no failure is recorded: otherwise a recovery would be told next.
  if (refused.length > 0 && (await post('night_failed', refused, roundRefusalInWords, end.status)))
    await recordRefusals(refused);

  async function tell(...message: Parameters<typeof post>): Promise<void> {
    if (!(await post(...message))) return;
    const [event, organizations] = message;
    for (const { name } of organizations) unrecorded.set(name, { night: night.day, event });
    await remember(event, organizations);
    await recordRefusals(organizations);
  }

  function post(
    event: NightMessage,
    organizations: readonly ToldOrganization[],
    inWords: typeof roundFailureInWords,
    status: TryStatus,
  ): Promise<boolean> {
    const listed = organizations.slice(0, mostListed).map(({ name }) => {
      const last = endOf(name);
      return { name, status: last?.status ?? 'failed', run_id: last?.runId ?? null };
    });
    const text = inWords(night.day, organizations, redact);
    return send(
      surroundings,
      webhook,
      { event, text, night: night.day, status, organizations: listed },
      times,
    );
  }

  async function remember(
    event: NightMessage,
    of: readonly Pick<ToldOrganization, 'name' | 'reasons'>[],
  ): Promise<void> {
    if (of.length === 0) return;
    const runIds = of.flatMap(({ name }) => endOf(name)?.runId ?? []);
    const notBegun = of.filter(({ name }) => (endOf(name)?.runId ?? null) === null);
    const isRecorded = await ask(async (db) => {
      await recordSentMessage(db, runIds, event);
      // Otherwise the next process would tell the same failure again, and never its end.
      if (event === 'night_failed') await recordNightsNotBegun(db, night.day, notBegun.map(rowOf));
      return true;
    });
    if (isRecorded === true) for (const { name } of of) unrecorded.delete(name);
  }

  function rowOf({ name, reasons }: Pick<ToldOrganization, 'name' | 'reasons'>): NightNotBegun {
    return { organization: name, error: redact(reasons.join(', ')) };
  }

  async function recordRefusals(of: readonly ToldOrganization[]): Promise<void> {
    const named = of.filter(({ refused: slices }) => slices.length > 0);
    if (named.length === 0) return;
    await ask(async (db) => {
      for (const { name, refused: slices } of named) {
        const runId = endOf(name)?.runId ?? null;
        if (runId !== null) await recordRefusalsTold(db, runId, slices);
      }
    });
  }
}

/** The refused slices of these organizations that no message has named yet; without those that have none. */
async function refusalsOf(db: Database, tried: readonly TriedOrganization[]) {
  const found = [];
  for (const { name, end, hasRefused } of tried.filter((each) => each.hasRefused)) {
    const refused = await readUntoldRefusals(db, end.runId);
    if (hasRefused && refused.length > 0) found.push({ name, refused });
  }
  return found;
}
