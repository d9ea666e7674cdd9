/** Makes receipts of a planned read: asks, divides the records among slices, hands over what is complete. */
import { readPages, readWindow } from '../../extract/analytics.ts';
import type { Page } from '../../extract/envelope.ts';
import type { Patience, PlatformClient } from '../../extract/platform-client.ts';
import type { Day } from '../../model/day.ts';
import { explain, RequestFailedError, UnexpectedAnswerError } from '../../model/errors.ts';
import { type Extent, endOfValue, isObjectAt, textAt, walkFields } from '../../model/json-scan.ts';
import { runsOf } from '../../model/record-chunk.ts';
import type { OnRunEvent } from '../../model/run.ts';
import { type DailySlice, type DailySource, dailySlice } from '../../model/source.ts';
import { type PlannedRead, splitRead } from '../plan.ts';
import { buildReceipt, type Receipt, type ReceiptOptions } from './receipt.ts';

/** What receiving needs. */
export interface ReceiveContext extends ReceiptOptions {
  readonly client: PlatformClient;
  readonly organizationId: string;
  readonly pageSize: number;
  readonly onEvent: OnRunEvent;
  /** Hides secrets in a text that will be stored or shown. */
  readonly redact: (text: string) => string;
  /** Hears that a window was too large, and how many days to ask for from now on. */
  readonly onWindowSplit: (source: DailySource, windowDays: number) => void;
  /** Hears how many days would have made an answer of the size wanted. */
  readonly onAnswer: (source: DailySource, windowDays: number) => void;
  /** Takes complete receipts; resolves when their load begins. */
  readonly onReceived: (source: DailySource, receipts: readonly Receipt[]) => Promise<void>;
  /** Records that a slice failed; says whether the platform had answered. Throws what must stop the run. */
  readonly onFailed: (slice: DailySlice, error: unknown) => Promise<boolean>;
}

/**
 * Bytes that an answer for several days should have at most. A large organization loses no time by fewer days at once.
 */
const mostBytesOfWindow = 1024 * 1024;
/** A window may be so many times as wide as the one before it, and no more: days differ. */
const mostGrowthOfWindow = 2;

/**
 * Receives the slices of one read and hands them over. They may still be loading when this resolves. A slice that fails
 * is recorded and reported. Says whether the platform answered. Throws only what must stop the whole run: refused
 * credentials, and its abort.
 */
export async function receiveRead(
  context: ReceiveContext,
  read: PlannedRead,
  patience: Patience,
): Promise<boolean> {
  if (read.source.slicing.reading === 'window') return receiveWindow(context, read, patience);
  let answered = true;
  for (const day of read.days)
    answered =
      (await receivePages(context, dailySlice(read.source, day), read.source, day, patience)) && answered;
  return answered;
}

async function receivePages(
  context: ReceiveContext,
  slice: DailySlice,
  source: DailySource,
  day: Day,
  patience: Patience,
): Promise<boolean> {
  const builder = buildReceipt(source, slice, context);
  try {
    for await (const page of readPages(context.client, source.path, day, context.pageSize, patience)) {
      refuseOtherOrganization(context, page);
      await builder.add(runsOf(page.bytes, page.records));
    }
  } catch (error) {
    await builder.abandon();
    return context.onFailed(slice, error);
  }
  await context.onReceived(source, [builder.finish()]);
  return true;
}

async function receiveWindow(
  context: ReceiveContext,
  read: PlannedRead,
  patience: Patience,
): Promise<boolean> {
  const { source, days } = read;
  const [from, to] = [days[0], days.at(-1)];
  if (from === undefined || to === undefined) return true;
  const isWindow = days.length > 1;
  let page: Page;
  try {
    const bounded = isWindow ? { ...patience, maxRetriesIfTooLarge: 1 } : patience;
    page = await readWindow(context.client, source.path, { from, to }, bounded);
    refuseOtherOrganization(context, page);
  } catch (error) {
    if (error instanceof RequestFailedError && error.smallerMayWork && isWindow)
      return receiveHalves(context, read, patience, explain(error));
    let answered = true;
    for (const day of days) answered = await context.onFailed(dailySlice(source, day), error);
    return answered;
  }
  const share = Math.min(mostGrowthOfWindow, mostBytesOfWindow / page.bytes.length);
  context.onAnswer(source, Math.max(1, Math.floor(days.length * share)));
  const byDay = isWindow ? recordsByDay(page, source, days) : new Map([[from, page.records]]);
  // A record without a day, or of a day that was not asked for, could be of any slice: ask day by day.
  if (byDay === undefined) return receiveEach(context, singleDays(read), patience);
  const receipts: Receipt[] = [];
  for (const [day, records] of byDay) {
    const builder = buildReceipt(source, dailySlice(source, day), context);
    await builder.add(runsOf(page.bytes, records));
    receipts.push(builder.finish());
  }
  await context.onReceived(source, receipts);
  return true;
}

async function receiveEach(
  context: ReceiveContext,
  reads: readonly PlannedRead[],
  patience: Patience,
): Promise<boolean> {
  let answered = true;
  for (const read of reads) answered = (await receiveWindow(context, read, patience)) && answered;
  return answered;
}

function singleDays({ source, days }: PlannedRead): PlannedRead[] {
  return days.map((day) => ({ source, days: [day] }));
}

/** Asks again in halves: the largest span that the platform accepts is not documented (platform-api.md §8). */
async function receiveHalves(
  context: ReceiveContext,
  read: PlannedRead,
  patience: Patience,
  reason: string,
): Promise<boolean> {
  const halves = splitRead(read);
  if (halves === undefined) return true;
  const [days, newDays] = [read.days.length, halves[0].days.length];
  const endpoint = read.source.name;
  context.onEvent({ type: 'window-split', endpoint, days, newDays, reason: context.redact(reason) });
  context.onWindowSplit(read.source, newDays);
  return receiveEach(context, halves, patience);
}

/** The records of each day; undefined when a record is of none of these days. */
function recordsByDay(
  { bytes, records }: Page,
  source: DailySource,
  days: readonly Day[],
): Map<Day, Extent[]> | undefined {
  const byDay = new Map(days.map((day) => [day, [] as Extent[]]));
  const ofText = new Map<string, Extent[] | undefined>(byDay);
  for (const record of records) {
    const ofDay = ofText.get(textOfField(bytes, record, source.slicing.dayField) ?? '');
    if (ofDay === undefined) return undefined;
    ofDay.push(record);
  }
  return byDay;
}

/** A text field of a record; undefined when it has none. */
function textOfField(bytes: Buffer, { start }: Extent, field: string): string | undefined {
  let text: string | undefined;
  if (!isObjectAt(bytes, start)) return undefined;
  walkFields(bytes, start, (name, valueStart) => {
    const end = endOfValue(bytes, valueStart);
    if (name === field) text = bytes[valueStart] === 0x22 ? textAt(bytes, valueStart, end) : undefined;
    return end;
  });
  return text;
}

function refuseOtherOrganization({ organizationId }: ReceiveContext, page: Page): void {
  if (page.organizationId !== organizationId)
    throw new UnexpectedAnswerError(
      `the answer is of organization ${JSON.stringify(page.organizationId)}, the run of ${JSON.stringify(organizationId)}`,
    );
}
