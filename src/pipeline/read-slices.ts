/** From a planned read to slices that are complete: ask, split into days, hand over to be stored. */

import type PQueue from 'p-queue';
import { readPages, readWindow } from '../extract/analytics.ts';
import type { Page } from '../extract/envelope.ts';
import type { Patience, PlatformClient } from '../extract/platform-client.ts';
import { flattenOf } from '../flatten/flatten.ts';
import type { Day } from '../model/day.ts';
import {
  explain,
  RequestFailedError,
  UnexpectedAnswerError,
  UnreadableAnswerError,
} from '../model/errors.ts';
import type { DailySource } from '../model/source.ts';
import { gaveWay } from '../warehouse/connection/connection.ts';
import { ledgerKey } from '../warehouse/ledger/slice-ledger.ts';
import { dayOfRow, gatherSlice, type KnownAnswers, sourceHashOf } from './gathered-slice.ts';
import { type PlannedRead, splitRead } from './plan.ts';
import { failSlice, type OutcomeContext, storeLarge } from './slice-outcomes.ts';
import type { StoreQueues } from './store-queues.ts';

/** What reading needs beside where slices go. */
export interface ReadContext extends OutcomeContext {
  readonly client: PlatformClient;
  readonly organizationId: string;
  readonly pageSize: number;
  readonly appVersion: string;
  readonly keepRaw: boolean;
  /** Stores slices that are larger than memory should hold, one at a time. */
  readonly largeSlices: PQueue;
  /** Tells that a window was too large and what size is to be used from now on. */
  readonly onWindowSplit: (source: DailySource, windowDays: number) => void;
  /** Tells how many days would have made an answer of the size that memory should hold. */
  readonly onAnswer: (source: DailySource, windowDays: number) => void;
  /** Takes what is read completely. */
  readonly stores: StoreQueues;
}

/**
 * Payload rows held in memory of a slice that comes in pages. A larger slice is stored while it is read, in a
 * transaction that stays open as long; one at a time, because two such transactions that make the same new
 * dimension rows piece by piece could wait for each other.
 */
export const mostRowsHeld = 10_000;

/**
 * Bytes that an answer for several days should have at most: parsed, it takes ten times as much memory, and fewer
 * days at once cost a large organization no time.
 */
const mostBytesOfWindow = 1024 * 1024;
/** How much wider a window may be than the one before it: days differ. */
const mostGrowthOfWindow = 2;

/**
 * Reads the slices of one read and hands them over to be stored, which goes on when this resolves. A slice that fails
 * is recorded and reported; the result says whether the platform answered. Throws only what must stop the whole run:
 * refused credentials, and the abort of the run.
 */
export async function processRead(
  context: ReadContext,
  read: PlannedRead,
  patience: Patience,
): Promise<boolean> {
  return read.source.slicing.reading === 'pages'
    ? processPages(context, read, patience)
    : processWindow(context, read, patience);
}

async function processPages(
  context: ReadContext,
  { source, days }: PlannedRead,
  patience: Patience,
): Promise<boolean> {
  let answered = true;
  for (const day of days) answered = (await processDay(context, source, day, patience)) && answered;
  return answered;
}

/** What may be tried once more with a day, or a window. */
interface Repeatable {
  /** A large slice that had to give way to another transaction. */
  readonly afterGivingWay: boolean;
  /** Answers that were taken for known ones, and not parsed when they came. */
  readonly afterTrusting: boolean;
}

const allRepeatable: Repeatable = { afterGivingWay: true, afterTrusting: true };

async function processDay(
  context: ReadContext,
  source: DailySource,
  day: Day,
  patience: Patience,
  repeatable = allRepeatable,
): Promise<boolean> {
  const known = repeatable.afterTrusting ? knownAnswers(context, source, day) : undefined;
  const gathered = gatherSlice(source, day, { ...context, known });
  const options = { ...patience, unparsed: known !== undefined };
  const pages = readPages(context.client, source.path, day, context.pageSize, options);
  const isComplete = async () => {
    while (gathered.held < mostRowsHeld) {
      const { value: page, done } = await pages.next();
      if (done === true || page === undefined) return true;
      refuseOtherOrganization(context, page);
      gathered.addPage(page);
    }
    return false;
  };
  try {
    if (await isComplete()) {
      gathered.flattenUnlessRecognized();
      await context.stores.add(source, [gathered]);
    } else
      await context.largeSlices.add(() => storeLarge(context, gathered, async () => !(await isComplete())));
    return true;
  } catch (error) {
    const again = { ...repeatable, ...notAgain(error) };
    if (isRepeatable(error, repeatable)) return await processDay(context, source, day, patience, again);
    return await failSlice(context, gathered, error);
  } finally {
    await pages.return();
  }
}

function isRepeatable(error: unknown, { afterGivingWay, afterTrusting }: Repeatable): boolean {
  return (afterGivingWay && gaveWay(error)) || (afterTrusting && error instanceof UnreadableAnswerError);
}

function notAgain(error: unknown): Partial<Repeatable> {
  return gaveWay(error) ? { afterGivingWay: false } : { afterTrusting: false };
}

async function processWindow(
  context: ReadContext,
  read: PlannedRead,
  patience: Patience,
  repeatable = allRepeatable,
): Promise<boolean> {
  const { source, days } = read;
  const [from, to] = [days[0], days.at(-1)];
  if (from === undefined || to === undefined) return true;
  const known = new Map(days.map((day) => [day, knownAnswers(context, source, day)]));
  const mayBeKnown = repeatable.afterTrusting && days.every((day) => known.get(day) !== undefined);
  const isWindow = days.length > 1;
  let page: Page;
  let rowsOf: RowsOfDay | undefined;
  try {
    page = await readWindow(
      context.client,
      source.path,
      { from, to },
      { ...patience, ...(isWindow ? { maxRetriesIfTooLarge: 1 } : {}), unparsed: mayBeKnown },
    );
    refuseOtherOrganization(context, page);
    const share = Math.min(mostGrowthOfWindow, mostBytesOfWindow / page.bytes.length);
    context.onAnswer(source, Math.max(1, Math.floor(days.length * share)));
    const sourceHash = sourceHashOf(context.appVersion, [page.digest]);
    const isKnown = mayBeKnown && days.every((day) => known.get(day)?.sourceHash.equals(sourceHash));
    rowsOf = isKnown
      ? (day) => (rowsByDay(page, source, days) ?? foreignRows(days))(day)
      : rowsByDay(page, source, days);
  } catch (error) {
    if (repeatable.afterTrusting && error instanceof UnreadableAnswerError)
      return processWindow(context, read, patience, { ...repeatable, afterTrusting: false });
    if (error instanceof RequestFailedError && error.smallerMayWork && days.length > 1)
      return processHalves(context, read, patience, explain(error));
    let answered = true;
    for (const day of days) answered = await failSlice(context, gatherSlice(source, day, context), error);
    return answered;
  }
  if (rowsOf === undefined) return processSingleDays(context, read, patience);
  const gatheredDays = days.map((day) => {
    const gathered = gatherSlice(source, day, { ...context, known: known.get(day), holds: true });
    if (isWindow) gathered.addPart(page, () => rowsOf(day));
    else gathered.addPage(page);
    return gathered;
  });
  await context.stores.add(source, gatheredDays);
  return true;
}

/** The largest span is not documented (platform-api.md §8): what was too large is asked again in halves. */
async function processHalves(
  context: ReadContext,
  read: PlannedRead,
  patience: Patience,
  reason: string,
): Promise<boolean> {
  const halves = splitRead(read);
  if (halves === undefined) return true;
  const newDays = halves[0].days.length;
  context.onEvent({
    type: 'window-split',
    endpoint: read.source.name,
    days: read.days.length,
    newDays,
    reason: context.redact(reason),
  });
  context.onWindowSplit(read.source, newDays);
  const [first, second] = [
    await processWindow(context, halves[0], patience),
    await processWindow(context, halves[1], patience),
  ];
  return first && second;
}

/** A row of no day, or of one not asked for, cannot be told to belong to a slice of a window: ask day by day. */
async function processSingleDays(
  context: ReadContext,
  { source, days }: PlannedRead,
  patience: Patience,
): Promise<boolean> {
  let answered = true;
  for (const day of days)
    answered = (await processWindow(context, { source, days: [day] }, patience)) && answered;
  return answered;
}

/** The rows of a day out of the answer for a window; each day is asked for once. */
type RowsOfDay = (day: Day) => readonly unknown[];

/** The rows of each day; undefined when some row of a window is of none of its days. */
function rowsByDay(page: Page, source: DailySource, days: readonly Day[]): RowsOfDay | undefined {
  const { rows } = page;
  // Of a single day every row belongs to its slice, or should.
  if (days.length === 1) return () => rows;
  const byDay = new Map<string, unknown[]>(days.map((day) => [day, []]));
  for (const row of rows) {
    const ofDay = byDay.get(dayOfRow(row, source) ?? '');
    if (ofDay === undefined) return undefined;
    ofDay.push(row);
  }
  return (day) => byDay.get(day) ?? [];
}

function foreignRows(days: readonly Day[]): never {
  throw new UnexpectedAnswerError(`the answer holds rows of other days than ${days[0]} to ${days.at(-1)}`);
}

/** What was loaded before may come again: then it is recognized, and not even looked into. */
function knownAnswers({ ledger }: ReadContext, source: DailySource, day: Day): KnownAnswers | undefined {
  const { sourceHash, tableRows, status } = ledger.get(ledgerKey(source.name, day)) ?? {};
  // Nothing of known answers was rejected and no key came twice, so that each payload row became a row.
  const rows = tableRows?.[flattenOf(source).tables[0]?.name ?? ''] ?? 0;
  return sourceHash && rows > 0 && status === 'loaded' ? { sourceHash, rows } : undefined;
}

function refuseOtherOrganization({ organizationId }: ReadContext, page: Page): void {
  if (page.organizationId !== organizationId)
    throw new UnexpectedAnswerError(
      `the answer is of organization ${JSON.stringify(page.organizationId)}, the run of ${JSON.stringify(organizationId)}`,
    );
}
