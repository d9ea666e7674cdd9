/** Collects the rejections of one slice: counts all of them, and keeps payload and reason of the first. */
import type { RejectedRecords, Rejection } from '../model/drift.ts';
import type { Sanitizer } from '../model/sanitize.ts';
import { keptPayload } from './kept-payload.ts';

/** Most characters of kept payloads and reasons per slice: an answer may hold millions of tiny records. */
const mostKept = 8 * 1024 * 1024;
/** Memory that a kept rejection takes besides its texts, counted in characters. */
const overhead = 200;
const mostOfReason = 1_000;

/** The rejections of one slice. */
export class Rejections {
  readonly #redact: Sanitizer;
  readonly #kept: Rejection[] = [];
  #room = mostKept;
  /** How many rejections there are at each path, how many of them are kept, and the reason of the first. */
  readonly #found = new Map<string, { count: number; kept: number; readonly first: string }>();

  constructor(redact: Sanitizer) {
    this.#redact = redact;
  }

  /** Adds a rejection; calls `reason` only when it is kept. */
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

  /** The number of rejections at a path, and the reason of the first of them. */
  at(path: string): { readonly count: number; readonly first: string } {
    return this.#found.get(path) ?? { count: 0, first: '' };
  }

  /** All rejections. For each path with rejections that are not kept, one more entry tells their number. */
  get all(): RejectedRecords {
    const more = [...this.#found].flatMap(([path, { count, kept, first }]) =>
      count === kept ? [] : [{ path, reason: reasonOfMore(count - kept, first), payload: 'null' }],
    );
    const counts = [...this.#found.values()].map(({ count }) => count);
    return { count: counts.reduce((sum, count) => sum + count, 0), kept: [...this.#kept, ...more] };
  }
}

function reasonOfMore(count: number, first: string): string {
  return `${count} more were counted but not kept, because a slice keeps at most ${mostKept} characters; the first one: ${first}`;
}
