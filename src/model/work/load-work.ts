/** The work of a run that loads: requests to send, and bytes to write. It is measured by the events of the run. */
import type { RunEvent } from '../run.ts';
import type { Slice, Source } from '../source.ts';
import type { PlannedRequests } from './planned-work.ts';
import { PagedRequests, type RequestWork, WindowRequests } from './request-work.ts';
import type { Work } from './work.ts';

/** The least share of a new answer in the mean latency, so that the mean follows a platform that becomes slower. */
const leastShareOfAnswer = 0.03;
/** Before so much time, or such a share of the work, the speed is not representative. */
const saysNothingBeforeMs = 1_000;
const saysNothingBeforeShare = 0.02;
/** Least share of writing in the whole work, so that the progress bar still moves during the last writes. */
const leastShareOfWriting = 0.05;

/** Whether a slice of a source is read in pages, so that its requests depend on its records. */
function isPaged({ partitioning }: Source): boolean {
  return partitioning.lanes === 'several';
}

/** The work of one source. Sources differ in what a request and a byte cost. */
interface SourceWork {
  readonly asked: RequestWork;
  answered: number;
  attempts: number;
  answerMs: number;
  /** Bytes of the slices that were received, and of the slices that were written. */
  received: number;
  written: number;
  /** Of the transactions that wrote slices: their time in ms, and the bytes of their slices. */
  loadMs: number;
  loadedBytes: number;
}

/**
 * The work of a load, in milliseconds. It is computed from two prices: the time of a request, which depends on the rate
 * budget and the latency of the platform, and the time of writing a byte. The time of writing is the part of the time so
 * far that requests do not account for.
 */
export class LoadWork implements Work {
  readonly #limits: PlannedRequests['limits'];
  readonly #lanes: number;
  readonly #sources = new Map<string, SourceWork>();
  /** Bytes of received slices that are not written yet. */
  readonly #toWrite = new Map<string, number>();
  #elapsedMs = 0;
  readonly #slices: { done: number; readonly total: number };

  constructor({ reads, records, limits, fits, answerMs }: PlannedRequests) {
    this.#limits = limits;
    this.#slices = { done: 0, total: reads.reduce((sum, { slices }) => sum + slices.length, 0) };
    let lanes = 0;
    for (const [source, ofSource] of Map.groupBy(reads, (read) => read.source)) {
      const { name } = source;
      lanes += isPaged(source) ? Math.min(ofSource.length, limits.maxConcurrency) : 1;
      const asked = isPaged(source)
        ? new PagedRequests(ofSource, records.get(name) ?? new Map(), limits.pageSize)
        : new WindowRequests(ofSource, fits.get(name) ?? Number.POSITIVE_INFINITY);
      const nothing = { answered: 0, attempts: 0, received: 0, written: 0, loadMs: 0, loadedBytes: 0 };
      this.#sources.set(name, { asked, answerMs, ...nothing });
    }
    this.#lanes = Math.max(1, Math.min(lanes, limits.maxConcurrency));
  }

  /** Names of the sources whose number of pages is not known. */
  get unknown(): readonly string[] {
    return [...this.#sources].filter(([, { asked }]) => !asked.isKnown).map(([name]) => name);
  }

  get requests(): Work['requests'] {
    if (this.unknown.length > 0) return undefined;
    const done = this.#sum(({ answered }) => answered);
    return { done, total: done + this.#sum(({ asked }) => asked.requestsLeft) };
  }

  get parts(): Work['parts'] {
    return this.#slices;
  }

  get leftMs(): number {
    return this.#askingLeft + this.#writingLeft * this.#shownPriceOfWriting;
  }

  get timeLeftMs(): number | undefined {
    const { requests } = this;
    if (requests === undefined) return undefined;
    const hasBegun = this.#elapsedMs > 0;
    const isEarly =
      this.#elapsedMs < saysNothingBeforeMs || requests.done < saysNothingBeforeShare * requests.total;
    if (hasBegun && isEarly) return undefined;
    return this.#askingLeft + this.#writingLeft * this.#priceOfWriting;
  }

  hear(event: RunEvent, elapsedMs: number): number {
    this.#elapsedMs = elapsedMs;
    switch (event.type) {
      case 'attempt-ended':
        this.#learnAnswer(event);
        return 0;
      case 'load-ended':
        this.#learnWriting(event);
        return 0;
      case 'answer-received':
        return this.#ask(event.slices[0], (source) => {
          source.answered += 1;
          return source.asked.answered(event.slices);
        });
      case 'read-received':
        return this.#ask(event.slices[0], (source) => {
          for (const slice of event.slices)
            this.#toWrite.set(nameOf(slice), event.bytes / event.slices.length);
          source.received += event.bytes;
          return source.asked.received(event.slices, event);
        });
      case 'window-split':
        this.#sources.get(event.endpoint)?.asked.narrow(event.newDays);
        return 0;
      case 'records-known':
        this.#sources.get(event.endpoint)?.asked.learn(event.records);
        return 0;
      case 'slice-done':
        return this.#end(event.slice);
      case 'slice-failed':
      case 'source-unavailable': {
        const asking = this.#ask(event.slice, ({ asked }) => {
          const before = asked.requestsLeft;
          asked.failed(event.slice);
          return before - asked.requestsLeft;
        });
        return asking + this.#end(event.slice);
      }
      default:
        return 0;
    }
  }

  /** The work, in ms, of so many requests as `count` returns. */
  #ask({ endpoint }: Slice, count: (source: SourceWork) => number): number {
    const source = this.#sources.get(endpoint);
    return source === undefined ? 0 : count(source) * this.#priceOfRequest(source);
  }

  #learnAnswer({ purpose, durationMs }: Extract<RunEvent, { type: 'attempt-ended' }>): void {
    const source = this.#sources.get(purpose?.endpoint ?? '');
    if (source === undefined) return;
    source.attempts += 1;
    source.answerMs += Math.max(leastShareOfAnswer, 1 / source.attempts) * (durationMs - source.answerMs);
  }

  #learnWriting({ slices, durationMs, isWritten }: Extract<RunEvent, { type: 'load-ended' }>): void {
    const source = this.#sources.get(slices[0]?.endpoint ?? '');
    if (source === undefined || !isWritten) return;
    source.loadMs += durationMs;
    for (const slice of slices) source.loadedBytes += this.#toWrite.get(nameOf(slice)) ?? 0;
  }

  /** Counts a slice as done. Returns the work of writing it, in ms. */
  #end(slice: Slice): number {
    this.#slices.done += 1;
    const source = this.#sources.get(slice.endpoint);
    const bytes = this.#toWrite.get(nameOf(slice)) ?? 0;
    this.#toWrite.delete(nameOf(slice));
    if (source === undefined || bytes === 0) return 0;
    const work = bytes * this.#weightOfByte(source) * this.#shownPriceOfWriting;
    source.written += bytes;
    return work;
  }

  #sum(part: (source: SourceWork) => number): number {
    let sum = 0;
    for (const source of this.#sources.values()) sum += part(source);
    return sum;
  }

  get #askingLeft(): number {
    return this.#sum((source) => source.asked.requestsLeft * this.#priceOfRequest(source));
  }

  get #asked(): number {
    return this.#sum((source) => source.answered * this.#priceOfRequest(source));
  }

  /** The bytes that are left to write, each with the weight of its source. */
  get #writingLeft(): number {
    return this.#sum(
      (source) => (source.asked.bytesLeft + source.received - source.written) * this.#weightOfByte(source),
    );
  }

  /** Milliseconds per request. */
  #priceOfRequest({ answerMs }: SourceWork): number {
    return Math.max(1000 / this.#limits.requestsPerSecond, answerMs / this.#lanes);
  }

  /** The weight of a source's byte: the time of its transactions per byte. Before the first one: the mean of all sources. */
  #weightOfByte({ loadMs, loadedBytes }: SourceWork): number {
    if (loadedBytes > 0) return loadMs / loadedBytes;
    const bytes = this.#sum((source) => source.loadedBytes);
    return bytes === 0 ? 1 : this.#sum((source) => source.loadMs) / bytes;
  }

  /** Milliseconds per weighted byte. Slices are written later than received: a byte that is only received counts half. */
  get #priceOfWriting(): number {
    const unexplained = this.#elapsedMs - this.#asked;
    const bytes = this.#sum(
      (source) => ((source.received + source.written) / 2) * this.#weightOfByte(source),
    );
    return bytes === 0 ? 0 : Math.max(0, unexplained) / bytes;
  }

  get #shownPriceOfWriting(): number {
    const writing = this.#writingLeft + this.#sum((source) => source.written * this.#weightOfByte(source));
    if (writing === 0) return 0;
    const least = (leastShareOfWriting * (this.#asked + this.#askingLeft)) / writing;
    return Math.max(this.#priceOfWriting, least);
  }
}

function nameOf({ endpoint, key }: Slice): string {
  return `${endpoint} ${key}`;
}
