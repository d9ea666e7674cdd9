/** Groups slices that failed for the same reason, with their number and range. */
import type { NotedSlice } from '../model/run-report.ts';
import { counted } from './number-text.ts';

/** Parts of a reason that differ from request to request: the number of attempts and the request id. */
const ofOneRequest = /after \d+ attempts?|request id [^\s,;)]+/g;

/** Slices of one endpoint with the same reason. */
export interface SameReason {
  readonly endpoint: string;
  readonly reason: string;
  count: number;
  /** The first and the last key. */
  from: string;
  to: string;
}

/** Groups slices by reason. */
export class Reasons {
  readonly #groups = new Map<string, SameReason>();

  /** Adds a slice; returns its group. */
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

  /** Returns all groups and removes them. */
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
