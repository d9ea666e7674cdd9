/** Faults drawn from a seed: every way in which the simulator can fail a request, and a count of each. */
import type { Fault } from '../../src/simulator/faults.ts';
import { RandomStream } from '../../src/simulator/random.ts';
import type { SimulatedRequest } from '../../src/simulator/server.ts';
import { fieldsOf } from '../support/exact-json.ts';

export interface FaultPlan {
  /** For `startSimulator`. */
  readonly fault: (request: SimulatedRequest) => Fault | undefined;
  /** Faults injected so far, by kind. */
  readonly counts: Readonly<Record<string, number>>;
  total(): number;
  /** Share of requests that fail, from 0 to 1. */
  share: number;
}

export interface FaultPlanOptions {
  readonly seed: number;
  readonly share: number;
  /** Answers are padded beyond this many bytes. */
  readonly maxResponseBytes: number;
  /** Windows wider than this many days may be refused as too large. */
  readonly widestWindowDays: number;
}

type Draw = (request: SimulatedRequest, random: RandomStream) => Fault | undefined;

const statuses = [408, 429, 500, 502, 503, 504];

/** Makes a plan; the same seed and the same order of requests bring the same faults. */
export function createFaultPlan(options: FaultPlanOptions): FaultPlan {
  const random = new RandomStream(options.seed);
  const counts: Record<string, number> = {};
  const kinds = Object.entries(drawsOf(options));
  const plan = {
    share: options.share,
    counts,
    total: () => Object.values(counts).reduce((sum, count) => sum + count, 0),
    fault(request: SimulatedRequest) {
      if (random.next() >= plan.share) return undefined;
      const [kind, draw] = kinds[random.between(0, kinds.length - 1)] ?? [];
      const fault = draw?.(request, random);
      if (kind !== undefined && fault !== undefined) counts[kind] = (counts[kind] ?? 0) + 1;
      return fault;
    },
  };
  return plan;
}

function drawsOf({ maxResponseBytes, widestWindowDays }: FaultPlanOptions): Record<string, Draw> {
  const ofStatus = Object.fromEntries(
    statuses.flatMap((status): [string, Draw][] => [
      [`status ${status}`, () => ({ kind: 'status', status })],
      [
        `status ${status} with Retry-After`,
        (_request, random) => ({ kind: 'status', status, headers: { 'retry-after': retryAfter(random) } }),
      ],
    ]),
  );
  const onWideWindow = (status: number): Draw => {
    return ({ days, path }) =>
      days !== undefined && !path.endsWith('/users') && spanOf(days) > widestWindowDays
        ? { kind: 'status', status }
        : undefined;
  };
  return {
    ...ofStatus,
    '400 on a wide window': onWideWindow(400),
    '413 on a wide window': onWideWindow(413),
    reset: () => ({ kind: 'reset' }),
    hang: () => ({ kind: 'hang' }),
    truncate: () => ({ kind: 'truncate' }),
    html: () => ({ kind: 'html' }),
    'wrong-type': () => ({ kind: 'wrong-type' }),
    garbage: () => ({ kind: 'garbage' }),
    delay: (_request, random) => ({ kind: 'delay', ms: random.between(1, 20) }),
    'redirect within the origin': ({ path, query }) => ({
      kind: 'status',
      status: 307,
      headers: { location: `${path}?${new URLSearchParams(query)}` },
    }),
    'body above MAX_RESPONSE_BYTES': () => ({
      kind: 'mutate',
      mutate: (envelope) => ({ ...fieldsOf(envelope), padding: 'x'.repeat(maxResponseBytes) }),
    }),
    'other days than asked for': () => ({
      kind: 'mutate',
      mutate: (envelope) => {
        const { data, meta } = fieldsOf(envelope);
        return { data, meta: { ...fieldsOf(meta), start_date: '2026-01-01' } };
      },
    }),
    'no envelope': () => ({ kind: 'mutate', mutate: () => [] }),
  };
}

/** Seconds, a date that has just passed, or nonsense. */
function retryAfter(random: RandomStream): string {
  const headers = ['0', '0.005', 'Thu, 01 Jan 2026 00:00:00 GMT', 'soon', '-3'];
  return headers[random.between(0, headers.length - 1)] ?? '0';
}

function spanOf({ from, to }: { readonly from: string; readonly to: string }): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
}
