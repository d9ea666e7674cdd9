/** The work of a run that loads: requests, and bytes to write. It learns from the events of the run. */
import type { RunEvent } from '../run.ts';
import type { Slice, Source } from '../source.ts';
import type { PlannedRequests } from './planned-work.ts';
import { PagedRequests, type RequestWork, WindowRequests } from './request-work.ts';
import type { Work } from './work.ts';

/** The latency of an answer counts at least by this share, so that the estimate follows a platform that slows down. */
const leastShareOfAnswer = 0.03;
/** Before this the speed is not representative. */
const saysNothingBeforeMs = 1_000;
const saysNothingBeforeShare = 0.02;
/** Writing has at least this share of the work, so that the last writes are seen to move. */
const leastShareOfWriting = 0.05;

/** Whether a slice of a source is read in pages, so that its requests depend on its records. */
function isPaged({ partitioning }: Source): boolean {
  return partitioning.lanes === 'several';
}

/**
 * The work of a load. The time is explained by two prices: that of a request, which the rate budget and the latency of
 * the platform limit, and that of a byte, which is what requests do not explain of the time so far.
 */
export class LoadWork implements Work {
  readonly #limits: PlannedRequests['limits'];
  readonly #lanes: number;
  readonly #sources = new Map<string, RequestWork>();
  /** Bytes of received slices that are not written yet. */
  readonly #toWrite = new Map<string, number>();
  #answerMs: number;
  #attempts = 0;
  #elapsedMs = 0;
  #answered = 0;
  #received = 0;
  #written = 0;
  readonly #slices: { done: number; readonly total: number };

  constructor({ reads, records, limits, fits, answerMs }: PlannedRequests) {
    this.#limits = limits;
    this.#answerMs = answerMs;
    this.#slices = { done: 0, total: reads.reduce((sum, { slices }) => sum + slices.length, 0) };
    let lanes = 0;
    for (const [source, ofSource] of Map.groupBy(reads, (read) => read.source)) {
      const { name } = source;
      lanes += isPaged(source) ? Math.min(ofSource.length, limits.maxConcurrency) : 1;
      this.#sources.set(
        name,
        isPaged(source)
          ? new PagedRequests(ofSource, records.get(name) ?? new Map(), limits.pageSize)
          : new WindowRequests(ofSource, fits.get(name) ?? Number.POSITIVE_INFINITY),
      );
    }
    this.#lanes = Math.max(1, Math.min(lanes, limits.maxConcurrency));
  }

  /** Sources of whose pages nothing is known. */
  get unknown(): readonly string[] {
    return [...this.#sources].filter(([, { isKnown }]) => !isKnown).map(([name]) => name);
  }

  get requests(): Work['requests'] {
    if (this.unknown.length > 0) return undefined;
    return { done: this.#answered, total: this.#answered + this.#requestsLeft };
  }

  get parts(): Work['parts'] {
    return this.#slices;
  }

  get leftMs(): number {
    const bytesLeft = this.#bytesLeft;
    return this.#requestsLeft * this.#requestMs + bytesLeft * this.#shownByteMs(bytesLeft);
  }

  get timeLeftMs(): number | undefined {
    const { requests } = this;
    if (requests === undefined) return undefined;
    const hasBegun = this.#elapsedMs > 0;
    const isEarly =
      this.#elapsedMs < saysNothingBeforeMs || requests.done < saysNothingBeforeShare * requests.total;
    if (hasBegun && isEarly) return undefined;
    return this.#requestsLeft * this.#requestMs + this.#bytesLeft * this.#byteMs;
  }

  hear(event: RunEvent, elapsedMs: number): number {
    this.#elapsedMs = elapsedMs;
    switch (event.type) {
      case 'attempt-ended': {
        this.#attempts += 1;
        const share = Math.max(leastShareOfAnswer, 1 / this.#attempts);
        this.#answerMs += share * (event.durationMs - this.#answerMs);
        return 0;
      }
      case 'answer-received':
        this.#answered += 1;
        return (this.#sourceOf(event.slices[0])?.answered(event.slices) ?? 0) * this.#requestMs;
      case 'read-received':
        return this.#receive(event) * this.#requestMs;
      case 'window-split':
        this.#sources.get(event.endpoint)?.narrow(event.newDays);
        return 0;
      case 'records-known':
        this.#sources.get(event.endpoint)?.learn(event.records);
        return 0;
      case 'slice-done':
        return this.#end(event.slice);
      case 'slice-failed':
      case 'source-unavailable': {
        const before = this.#requestsLeft;
        this.#sourceOf(event.slice)?.failed(event.slice);
        return (before - this.#requestsLeft) * this.#requestMs + this.#end(event.slice);
      }
      default:
        return 0;
    }
  }

  #sourceOf({ endpoint }: Slice): RequestWork | undefined {
    return this.#sources.get(endpoint);
  }

  /** Counts a read as received. Returns the requests that are left no longer. */
  #receive({ slices, ...found }: Extract<RunEvent, { type: 'read-received' }>): number {
    const ofSlice = found.bytes / slices.length;
    for (const { endpoint, key } of slices) this.#toWrite.set(`${endpoint} ${key}`, ofSlice);
    this.#received += found.bytes;
    return this.#sourceOf(slices[0])?.received(slices, found) ?? 0;
  }

  /** Counts a slice as done. Returns the work of writing it. */
  #end({ endpoint, key }: Slice): number {
    const name = `${endpoint} ${key}`;
    const bytes = this.#toWrite.get(name) ?? 0;
    this.#toWrite.delete(name);
    this.#slices.done += 1;
    const work = bytes * this.#shownByteMs(this.#bytesLeft);
    this.#written += bytes;
    return work;
  }

  get #requestsLeft(): number {
    let left = 0;
    for (const { requestsLeft } of this.#sources.values()) left += requestsLeft;
    return left;
  }

  get #bytesLeft(): number {
    let left = this.#received - this.#written;
    for (const { bytesLeft } of this.#sources.values()) left += bytesLeft;
    return left;
  }

  /** The price of a request. */
  get #requestMs(): number {
    const { requestsPerSecond } = this.#limits;
    return Math.max(1000 / requestsPerSecond, this.#answerMs / this.#lanes);
  }

  /** The price of a byte. Writes follow their answers late, so what has come counts half. */
  get #byteMs(): number {
    const unexplained = this.#elapsedMs - this.#answered * this.#requestMs;
    const bytes = (this.#received + this.#written) / 2;
    return bytes === 0 ? 0 : Math.max(0, unexplained) / bytes;
  }

  #shownByteMs(bytesLeft: number): number {
    const bytes = this.#written + bytesLeft;
    if (bytes === 0) return 0;
    const requests = this.#answered + this.#requestsLeft;
    return Math.max(this.#byteMs, (leastShareOfWriting * requests * this.#requestMs) / bytes);
  }
}
