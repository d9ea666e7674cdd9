/** Works through the planned reads. Every source has its own lanes, so a source that hangs does not slow other sources. */
import type { RequestOptions } from '../../extract/api-request.ts';
import { type Read, type Source, splitRead } from '../../model/source.ts';

/** After so many failed reads in a row a source counts as failing: it gets one attempt per read until it answers again. */
const failuresUntilFailing = 3;
/** A failing source uses only this share of its lanes, so that its hanging requests leave room for other sources. */
const shareWhenFailing = 0.5;

/**
 * The lanes of a source with pages: one more than concurrent requests, so that the platform stays busy while one lane
 * parses or stores a slice.
 */
export function pageLanes(maxConcurrency: number): number {
  return maxConcurrency + 1;
}

/** Options of `workThrough`. */
export interface LaneOptions {
  /** Number of lanes of a source with pages. */
  readonly pageLanes: number;
  /** Most slices of one read of the source. */
  readonly windowDays: (source: Source) => number;
  /** Processes one read; returns whether the platform answered. A rejection ends the run. */
  readonly process: (read: Read, requestOptions: RequestOptions) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Resolves when all reads are processed; rejects with the first error that must stop the run. */
export async function workThrough(reads: readonly Read[], options: LaneOptions): Promise<void> {
  const bySource = Map.groupBy(reads, ({ source }) => source);
  const lanes = [...bySource].flatMap(([source, ofSource]) => {
    const queue = [...ofSource];
    const state: LanesState = { failuresInARow: 0, settled: Promise.withResolvers() };
    const count = source.partitioning.lanes === 'several' ? options.pageLanes : 1;
    const lanesWhenFailing = Math.max(1, Math.floor(count * shareWhenFailing));
    return Array.from({ length: Math.min(count, queue.length) }, (_, lane) =>
      runLane(queue, state, lane >= lanesWhenFailing, options),
    );
  });
  const results = await Promise.allSettled(lanes);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** The state that the lanes of one source share. */
interface LanesState {
  failuresInARow: number;
  /** Resolves when the next read of the source ends, even if it fails. */
  settled: PromiseWithResolvers<void>;
}

const isFailing = ({ failuresInARow }: LanesState) => failuresInARow >= failuresUntilFailing;

async function runLane(
  queue: Read[],
  state: LanesState,
  restsWhenFailing: boolean,
  options: LaneOptions,
): Promise<void> {
  for (;;) {
    while (restsWhenFailing && isFailing(state) && queue.length > 0) {
      options.signal.throwIfAborted();
      await state.settled.promise;
    }
    const read = queue.shift();
    if (read === undefined) return;
    options.signal.throwIfAborted();
    const halves = read.slices.length > options.windowDays(read.source) ? splitRead(read) : undefined;
    if (halves !== undefined) {
      queue.unshift(...halves);
      continue;
    }
    try {
      const answered = await options.process(read, isFailing(state) ? { maxRetries: 0 } : {});
      state.failuresInARow = answered ? 0 : state.failuresInARow + 1;
    } finally {
      state.settled.resolve();
      state.settled = Promise.withResolvers();
    }
  }
}
