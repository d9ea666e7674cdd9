/** Counts the requests of one source in a run: those that were answered, and those to expect. */
import type { Read, Slice } from '../source.ts';
import { expectedRecords } from './expected-records.ts';

/** The requests of one source. A slice is open until its last answer has come, or until it failed. */
export interface RequestWork {
  readonly requestsLeft: number;
  /** Bytes of the records to expect. */
  readonly bytesLeft: number;
  /** Whether `requestsLeft` is more than a guess. */
  readonly isKnown: boolean;
  /** Call it when an answer has arrived; more may follow for its slices. Returns by how much `requestsLeft` fell. */
  answered(slices: readonly Slice[]): number;
  /** Call it when all answers for a read have arrived. Returns by how much `requestsLeft` fell. */
  received(slices: readonly Slice[], found: ReceivedRecords): number;
  /** Call it when a slice has failed. */
  failed(slice: Slice): void;
  /** Call it when the number of records of more slices is known, by their keys. */
  learn(records: ReadonlyMap<string, number>): void;
  /** Sets how many slices a read has at most from now on. */
  narrow(slices: number): void;
}

/** The records of a read. */
export interface ReceivedRecords {
  readonly records: number;
  /** Bytes of the read's answers. */
  readonly bytes: number;
  /** The number of slices that one answer should bring; undefined if it never brings more than one. */
  readonly fits: number | undefined;
}

/** Requests of a source that answers several slices at once. */
export class WindowRequests implements RequestWork {
  readonly isKnown = true;
  /** For each open slice the set of the open slices of its read. All slices of a read share one set. */
  readonly #readOf = new Map<string, Set<string>>();
  #fits: number;
  #received = { slices: 0, bytes: 0 };

  constructor(reads: readonly Read[], fits: number) {
    this.#fits = fits;
    for (const { slices } of reads) {
      const keys = new Set(slices.map(({ key }) => key));
      for (const key of keys) this.#readOf.set(key, keys);
    }
  }

  get requestsLeft(): number {
    let requests = 0;
    for (const keys of new Set(this.#readOf.values()))
      requests += Math.ceil(keys.size / Math.min(keys.size, this.#fits));
    return requests;
  }

  get bytesLeft(): number {
    const { slices, bytes } = this.#received;
    return slices === 0 ? 0 : (this.#readOf.size * bytes) / slices;
  }

  answered(): number {
    return 0;
  }

  received(slices: readonly Slice[], { bytes, fits }: ReceivedRecords): number {
    this.#received.slices += slices.length;
    this.#received.bytes += bytes;
    if (fits !== undefined) this.#fits = fits;
    for (const slice of slices) this.failed(slice);
    return 1;
  }

  failed({ key }: Slice): void {
    this.#readOf.get(key)?.delete(key);
    this.#readOf.delete(key);
  }

  learn(): void {}

  narrow(slices: number): void {
    this.#fits = Math.min(this.#fits, slices);
  }
}

/** Pages assumed for a slice if no slice is known; only the progress bar uses this number. */
const assumedPages = 10;
/** Expected pages are computed again when the number of known slices has grown by this factor. */
const growthUntilLearned = 1.1;

/** Requests of a source that answers one slice in several pages. */
export class PagedRequests implements RequestWork {
  readonly #pageSize: number;
  readonly #known: Map<string, number>;
  /** The open slices, each with its number of answers so far, and of expected pages. */
  readonly #open = new Map<string, { seen: number; expected: number | undefined }>();
  #knownBefore = 0;
  #received = { pages: 0, fullPages: 0, bytes: 0 };

  constructor(reads: readonly Read[], known: ReadonlyMap<string, number>, pageSize: number) {
    this.#pageSize = pageSize;
    this.#known = new Map(known);
    for (const { slices } of reads)
      for (const { key } of slices) this.#open.set(key, { seen: 0, expected: undefined });
    this.#expectAgain();
  }

  get requestsLeft(): number {
    let requests = 0;
    for (const { seen, expected } of this.#open.values())
      requests += Math.max(1, this.#pagesSent(expected) - seen);
    return requests;
  }

  get bytesLeft(): number {
    const { pages, bytes } = this.#received;
    if (pages === 0) return 0;
    let pagesLeft = 0;
    for (const { seen, expected } of this.#open.values())
      pagesLeft += Math.max(seen, this.#pagesSent(expected));
    return (pagesLeft * bytes) / pages;
  }

  get isKnown(): boolean {
    return this.#open.size === 0 || this.#known.size > 0;
  }

  answered(slices: readonly Slice[]): number {
    for (const { key } of slices) {
      const open = this.#open.get(key);
      if (open !== undefined) open.seen += 1;
    }
    return 1;
  }

  received(slices: readonly Slice[], { records, bytes }: ReceivedRecords): number {
    for (const { key } of slices) {
      this.#received.pages += this.#open.get(key)?.seen ?? 1;
      this.#received.fullPages += this.#pagesOf(records);
      this.#known.set(key, records);
      this.#open.delete(key);
    }
    this.#received.bytes += bytes;
    if (this.#known.size >= growthUntilLearned * this.#knownBefore) this.#expectAgain();
    return 0;
  }

  failed({ key }: Slice): void {
    this.#open.delete(key);
  }

  learn(records: ReadonlyMap<string, number>): void {
    for (const [key, count] of records) if (!this.#known.has(key)) this.#known.set(key, count);
    this.#expectAgain();
  }

  narrow(): void {}

  #expectAgain(): void {
    this.#knownBefore = this.#known.size;
    for (const [key, open] of this.#open) {
      const records = expectedRecords(key, this.#known);
      open.expected = records === undefined ? undefined : this.#pagesOf(records);
    }
  }

  #pagesOf(records: number): number {
    return Math.max(1, Math.ceil(records / this.#pageSize));
  }

  /** The number of pages that the platform will probably send: its pages may be smaller than requested. */
  #pagesSent(expected: number | undefined): number {
    const { pages, fullPages } = this.#received;
    return Math.round((expected ?? assumedPages) * (fullPages === 0 ? 1 : pages / fullPages));
  }
}
