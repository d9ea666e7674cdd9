/** Gathers what cannot be loaded of one slice: all of it is counted, and as much is kept as there is room for. */
import type { RejectedRecords, Rejection } from '../model/drift.ts';
import type { Sanitizer } from '../model/sanitize.ts';
import { keptPayload } from './kept-payload.ts';

/** Characters of payloads and reasons that are kept of a slice: an answer may hold millions of records of two bytes. */
const mostKept = 8 * 1024 * 1024;
/** What a rejection takes beside its texts, in characters. */
const overhead = 200;
const mostOfReason = 1_000;

/** The rejections of one slice. */
export class Rejections {
  readonly #redact: Sanitizer;
  readonly #kept: Rejection[] = [];
  #room = mostKept;
  /** By path. */
  readonly #found = new Map<string, { count: number; kept: number; readonly first: string }>();

  constructor(redact: Sanitizer) {
    this.#redact = redact;
  }

  /** Adds one. Its reason is asked for only when it is kept. */
  add(path: string, reason: () => string, payload: unknown): void {
    const ofPath = this.#found.get(path) ?? {
      count: 0,
      kept: 0,
      first: this.#redact(reason(), mostOfReason),
    };
    if (ofPath.count === 0) this.#found.set(path, ofPath);
    ofPath.count += 1;
    if (this.#room <= 0) return;
    const text = keptPayload(payload, this.#redact.hideSecrets);
    const why = ofPath.count === 1 ? ofPath.first : this.#redact(reason(), mostOfReason);
    this.#room -= text.length + why.length + overhead;
    this.#kept.push({ path, reason: why, payload: text });
    ofPath.kept += 1;
  }

  /** How many there were at a path, and why the first of them was. */
  at(path: string): { readonly count: number; readonly first: string } {
    return this.#found.get(path) ?? { count: 0, first: '' };
  }

  /** All of them. Where there was no room for some of a path, the last that is kept of it says how many. */
  get all(): RejectedRecords {
    const more = [...this.#found].flatMap(([path, { count, kept, first }]) =>
      count === kept ? [] : [{ path, reason: reasonOfMore(count - kept, first), payload: 'null' }],
    );
    const counts = [...this.#found.values()].map(({ count }) => count);
    return { count: counts.reduce((sum, count) => sum + count, 0), kept: [...this.#kept, ...more] };
  }
}

function reasonOfMore(count: number, first: string): string {
  return `${count} more are only counted, because as much as ${mostKept} characters was kept of the slice; the first of all: ${first}`;
}
