/** Works through the planned reads: every source in lanes of its own, so that one that hangs does not slow the others. */
import type { RequestOptions } from '../../extract/api-request.ts';
import { type Read, type Source, splitRead } from '../../model/source.ts';

/** After so many reads without an answer, a source gets one attempt per read until it answers again. */
const failuresUntilImpatient = 3;
/** Until it answers again, such a source has this share of its lanes, so that requests that hang leave room for others. */
const shareWhenImpatient = 0.5;

/**
 * Lanes of a source that comes in pages: one more than requests may be under way, so that while one lane parses, hands
 * over, or stores a large slice, the others keep the platform busy.
 */
export function pageLanes(maxConcurrency: number): number {
  return maxConcurrency + 1;
}

/** How to work through reads. */
export interface LaneOptions {
  /** Reads of one source that comes in pages under way at once. */
  readonly pageLanes: number;
  /** Most slices that one read of the source should ask for. */
  readonly windowDays: (source: Source) => number;
  /** Processes one read; says whether the platform answered. Its rejection ends the run. */
  readonly process: (read: Read, requestOptions: RequestOptions) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Resolves when all reads are processed; rejects with the first thing that must stop the run. */
export async function workThrough(reads: readonly Read[], options: LaneOptions): Promise<void> {
  const bySource = Map.groupBy(reads, ({ source }) => source);
  const lanes = [...bySource].flatMap(([source, ofSource]) => {
    const queue = [...ofSource];
    const state: SourceState = { failuresInARow: 0, settled: Promise.withResolvers() };
    const count = source.partitioning.lanes === 'several' ? options.pageLanes : 1;
    const lanesWhenImpatient = Math.max(1, Math.floor(count * shareWhenImpatient));
    return Array.from({ length: Math.min(count, queue.length) }, (_, lane) =>
      runLane(queue, state, lane >= lanesWhenImpatient, options),
    );
  });
  const results = await Promise.allSettled(lanes);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** What the lanes of one source share. */
interface SourceState {
  failuresInARow: number;
  /** Settles with the next read of the source, whatever comes of it. */
  settled: PromiseWithResolvers<void>;
}

const isImpatient = ({ failuresInARow }: SourceState) => failuresInARow >= failuresUntilImpatient;

async function runLane(
  queue: Read[],
  state: SourceState,
  restsWhenImpatient: boolean,
  options: LaneOptions,
): Promise<void> {
  for (;;) {
    while (restsWhenImpatient && isImpatient(state) && queue.length > 0) {
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
      const answered = await options.process(read, isImpatient(state) ? { maxRetries: 0 } : {});
      state.failuresInARow = answered ? 0 : state.failuresInARow + 1;
    } finally {
      state.settled.resolve();
      state.settled = Promise.withResolvers();
    }
  }
}
