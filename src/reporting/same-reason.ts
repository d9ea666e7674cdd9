/** Groups slices that failed for the same reason, with their number and range. */
import { isDay } from '../model/day.ts';
import type { NotedSlice } from '../model/run-report.ts';
import { counted } from './number-text.ts';

/** Parts of a reason that differ from request to request: the number of attempts and the request id. */
const ofOneRequest = /after \d+ attempts?|request id [^\s,;)]+/g;

/** The part of a reason that names the request: its path differs from endpoint to endpoint. */
const ofOnePath = /\b[A-Z]+ \/\S+ failed/;

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
  const alike = Map.groupBy(reasons.takeAll(), ({ endpoint, reason }) =>
    ofOnePath.test(reason)
      ? reason.replace(ofOneRequest, '').replace(ofOnePath, '')
      : `${endpoint}\0${reason}`,
  );
  return [...alike.values()].flatMap((groups) => {
    const [group, ...others] = groups;
    if (group === undefined) return [];
    const { endpoint, reason, count, from, to } = group;
    if (others.length > 0)
      return ofSeveralInWords(groups, reason.replace(ofOnePath, 'requests failed'), thing);
    if (count > 1) return `${endpoint}: ${counted(count, thing)}, ${from} to ${to}: ${reason}`;
    return `${from === '' ? endpoint : `${endpoint} ${from}`}: ${reason}`;
  });
}

/** One sentence for several endpoints whose requests failed for the same reason. */
function ofSeveralInWords(groups: readonly SameReason[], reason: string, thing: string): string {
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const days = groups
    .flatMap(({ from, to }) => [from, to])
    .filter(isDay)
    .sort();
  const [first, last] = [days[0], days.at(-1)];
  const range = first === undefined ? '' : first === last ? `, ${first}` : `, ${first} to ${last}`;
  const endpoints = groups.map(({ endpoint }) => endpoint).join(', ');
  return `${endpoints}: ${counted(count, thing)}${range}: ${reason}`;
}
