/** Slices that failed for one reason are told once, with their number and range. */
import type { NotedSlice } from '../model/run.ts';
import { counted } from './number-text.ts';

/** What differs from one request to the next, for the same reason: how often it was tried, and its id. */
const ofOneRequest = /after \d+ attempts?|request id [^\s,;)]+/g;

/** Slices of one endpoint with one reason. */
export interface SameReason {
  readonly endpoint: string;
  readonly reason: string;
  count: number;
  /** The first and the last of their keys. */
  from: string;
  to: string;
}

/** Gathers slices as they come. */
export class Reasons {
  readonly #groups = new Map<string, SameReason>();

  /** Adds a slice; returns its group, which holds it alone when it is the first. */
  add({ endpoint, key, reason }: NotedSlice): SameReason {
    const id = `${endpoint}\0${reason.replace(ofOneRequest, '')}`;
    const group = this.#groups.get(id);
    if (group === undefined) {
      const first = { endpoint, reason, count: 1, from: key, to: key };
      this.#groups.set(id, first);
      return first;
    }
    group.count += 1;
    if (key < group.from) group.from = key;
    if (key > group.to) group.to = key;
    return group;
  }

  /** All groups; from then on there are none. */
  takeAll(): SameReason[] {
    const all = [...this.#groups.values()];
    this.#groups.clear();
    return all;
  }
}

/** One sentence for each reason, such as `endpoint: 7 slices, 2026-03-01 to 2026-03-07: the platform answered 500`. */
export function reasonsInWords(slices: readonly NotedSlice[], thing = 'slice'): string[] {
  const reasons = new Reasons();
  for (const slice of slices) reasons.add(slice);
  return reasons.takeAll().map(({ endpoint, reason, count, from, to }) => {
    if (count > 1) return `${endpoint}: ${counted(count, thing)}, ${from} to ${to}: ${reason}`;
    return `${from === '' ? endpoint : `${endpoint} ${from}`}: ${reason}`;
  });
}
