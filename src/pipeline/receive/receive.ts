/** Makes the receipts of a read: requests its pages, divides the records among the slices, passes the receipts on. */
import type { RequestOptions } from '../../extract/api-request.ts';
import type { Page } from '../../extract/envelope.ts';
import type { CountedDrift, Drift } from '../../model/drift.ts';
import { explain, RequestFailedError } from '../../model/errors.ts';
import type { Extent } from '../../model/json-scan.ts';
import { segmentsOf } from '../../model/record-chunk.ts';
import type { OnRunEvent } from '../../model/run.ts';
import { type Read, readOf, type Slice, type Source, splitRead } from '../../model/source.ts';
import { type Asking, readAnswers } from './read-answers.ts';
import { buildReceipt, type Receipt, type ReceiptBuilder, type ReceiptOptions } from './receipt.ts';

/** The context of receiving. */
export interface ReceiveContext extends Asking, ReceiptOptions {
  readonly onEvent: OnRunEvent;
  /** Hides secrets in a text that will be stored or shown. */
  readonly redact: (text: string) => string;
  /** Called when a read was too large, with the number of slices that each read is to have from now on. */
  readonly onWindowSplit: (source: Source, slices: number) => void;
  /** Called with the number of slices that would bring an answer of the wanted size. */
  readonly onAnswer: (source: Source, slices: number) => void;
  /** Records drift of the answers outside their records. Throws only errors that must stop the run. */
  readonly onDrift: (slice: Slice, drift: readonly CountedDrift[]) => Promise<void>;
  /** Takes complete receipts; resolves when there is room for more. */
  readonly onReceived: (source: Source, receipts: readonly Receipt[]) => Promise<void>;
  /**
   * Records that a slice failed; returns whether the platform had answered. Throws only errors that must stop the
   * run.
   */
  readonly onFailed: (slice: Slice, error: unknown) => Promise<boolean>;
}

/**
 * Most bytes that the answer for a window should have. Above this size, fewer slices per request do not take more time.
 */
const mostBytesOfWindow = 1024 * 1024;
/** A window may grow at most by this factor, because days differ in size. */
const mostGrowthOfWindow = 2;

/** Thrown if a record names none of the slices of its read: then the records cannot be divided among the slices. */
class UnclearRecordError extends Error {}

/**
 * Receives the slices of one read and passes their receipts on. They may still be loading when this resolves. Failed
 * slices are recorded and reported. Returns whether the platform answered. Throws only errors that must stop the run:
 * refused credentials, and the abort of the run.
 */
export async function receiveRead(
  context: ReceiveContext,
  read: Read,
  requestOptions: RequestOptions,
): Promise<boolean> {
  const { source, slices } = read;
  const isWindow = slices.length > 1;
  const builders = slices.map((slice) => buildReceipt(source, slice, context));
  const drift: Drift[] = [];
  try {
    let [records, bytes] = [0, 0];
    for await (const page of readAnswers(
      context,
      read,
      isWindow ? { ...requestOptions, maxRetriesIfTooLarge: 1 } : requestOptions,
    )) {
      context.onEvent({ type: 'answer-received', slices });
      records += page.records.length;
      bytes += page.bytes.length;
      drift.push(...(page.drift ?? []));
      await divide(source, page, builders);
    }
    const fits = source.partitioning.lanes === 'one' ? slicesThatFit(slices.length, bytes) : undefined;
    if (fits !== undefined) context.onAnswer(source, fits);
    context.onEvent({ type: 'read-received', slices, records, bytes, fits });
  } catch (error) {
    for (const builder of builders) await builder.abandon();
    if (isWindow && error instanceof UnclearRecordError)
      return receiveEach(context, oneByOne(read), requestOptions);
    if (isWindow && error instanceof RequestFailedError && error.smallerMayWork)
      return receiveHalves(context, read, requestOptions, explain(error));
    await noteDrift(context, slices[0], drift);
    let answered = true;
    for (const slice of slices) answered = await context.onFailed(slice, error);
    return answered;
  }
  await noteDrift(context, slices[0], drift);
  await context.onReceived(
    source,
    builders.map((builder) => builder.finish()),
  );
  return true;
}

/** How many slices an answer of the wanted size would have, by an answer for `slices` slices with so many bytes. */
function slicesThatFit(slices: number, bytes: number): number {
  const share = Math.min(mostGrowthOfWindow, mostBytesOfWindow / bytes);
  return Math.max(1, Math.floor(slices * share));
}

/** Records the drift of a read under its first slice, also if the slices fail. */
async function noteDrift(
  { onDrift, redact }: ReceiveContext,
  slice: Slice,
  noticed: readonly Drift[],
): Promise<void> {
  if (noticed.length === 0) return;
  const kinds = [...Map.groupBy(noticed, ({ kind, path }) => `${kind} ${path}`).values()];
  const drift = kinds.flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [
          {
            path: first.path,
            kind: first.kind,
            example: redact(first.example()),
            occurrences: 1 + others.length,
          },
        ],
  );
  await onDrift(slice, drift);
}

/**
 * Adds the records of a page to their slices. If there are several slices and a record names none of them, throws
 * `UnclearRecordError`: the record could belong to any of them.
 */
async function divide(source: Source, page: Page, builders: readonly ReceiptBuilder[]): Promise<void> {
  const [first] = builders;
  const { keyField } = source.partitioning;
  if (first === undefined) return;
  if (builders.length === 1 || keyField === undefined) {
    await first.add(segmentsOf(page.bytes, page.records));
    return;
  }
  const ofKey = new Map(builders.map((builder) => [builder.slice.key, [] as Extent[]]));
  const keys = page.texts(keyField);
  for (const [index, record] of page.records.entries()) {
    const ofSlice = ofKey.get(keys[index] ?? '');
    if (ofSlice === undefined) throw new UnclearRecordError();
    ofSlice.push(record);
  }
  for (const builder of builders)
    await builder.add(segmentsOf(page.bytes, ofKey.get(builder.slice.key) ?? []));
}

async function receiveEach(
  context: ReceiveContext,
  reads: readonly Read[],
  requestOptions: RequestOptions,
): Promise<boolean> {
  let answered = true;
  for (const read of reads) answered = (await receiveRead(context, read, requestOptions)) && answered;
  return answered;
}

function oneByOne({ source, slices }: Read): Read[] {
  return slices.flatMap(({ key }) => readOf(source, [key]) ?? []);
}

/**
 * Asks again for each half of a window: the largest window that the platform accepts is not documented (platform-api.md
 * §8).
 */
async function receiveHalves(
  context: ReceiveContext,
  read: Read,
  requestOptions: RequestOptions,
  reason: string,
): Promise<boolean> {
  const halves = splitRead(read);
  const [first] = halves ?? [];
  if (halves === undefined || first === undefined) return true;
  const [days, newDays] = [read.slices.length, first.slices.length];
  const endpoint = read.source.name;
  context.onEvent({ type: 'window-split', endpoint, days, newDays, reason: context.redact(reason) });
  context.onWindowSplit(read.source, newDays);
  return receiveEach(context, halves, requestOptions);
}
