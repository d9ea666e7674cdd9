/** Describes the plan of a run before it begins. */
import type { RunEvent } from '../model/run.ts';
import { LoadWork } from '../model/work/load-work.ts';
import type { PlannedRequests, StepKind } from '../model/work/planned-work.ts';
import { counted } from './number-text.ts';
import { duration } from './progress-line.ts';

/** Figures about the requests of a plan, for the JSON and the log. */
export interface RequestFigures {
  readonly requests_at_least: number;
  /** Null, like `expected_seconds`, while the number of pages of a source is not known. */
  readonly requests_expected: number | null;
  /** Names of the sources whose number of pages is not known. */
  readonly pages_unknown: readonly string[];
  readonly expected_seconds: number | null;
}

/** The figures about the requests of a load, before it begins. */
export function figuresOfRequests(asking: PlannedRequests): RequestFigures {
  const { requests, unknown, timeLeftMs } = new LoadWork(asking);
  return {
    requests_at_least: asking.reads.length,
    requests_expected: requests?.total ?? null,
    pages_unknown: unknown,
    expected_seconds: timeLeftMs === undefined ? null : Math.ceil(timeLeftMs / 1000),
  };
}

/** The requests of a plan in words, with their time if it is known for all of them. */
export function requestsInWords(figures: RequestFigures): string {
  const { requests_expected, expected_seconds, requests_at_least, pages_unknown } = figures;
  if (requests_expected === null || expected_seconds === null)
    return `at least ${counted(requests_at_least, 'request')}; pages of ${pages_unknown.join(', ')} are not known yet`;
  return `about ${counted(requests_expected, 'request')}, which take about ${duration(1000 * expected_seconds)}`;
}

/** A sentence about what a load is going to do; it also says that the load may be interrupted. */
export function planInWords({ slices, asking }: Extract<RunEvent, { type: 'planned' }>): string {
  if (asking === undefined || slices === 0) return `planned: ${counted(slices, 'slice')}`;
  return (
    `planned: ${counted(slices, 'slice')} in ${requestsInWords(figuresOfRequests(asking))}; ` +
    'it may be interrupted at any time: what is loaded stays, and the same command goes on from there'
  );
}

/** A sentence about what a run in steps is going to do. */
export function stepsInWords({
  steps,
  requestsAtLeast,
}: Extract<RunEvent, { type: 'steps-planned' }>): string {
  const words: Readonly<Record<StepKind, (count: number) => string>> = {
    compare: (count) =>
      `${counted(count, 'slice')} to compare with the platform in at least ${counted(requestsAtLeast, 'request')}`,
    check: (count) => `${counted(count, 'check')} in the warehouse`,
    archive: (count) => `${counted(count, 'slice')} to compare with the raw archive`,
    slice: (count) => counted(count, 'slice'),
  };
  const kinds = (['compare', 'check', 'archive', 'slice'] as const).flatMap((kind) => {
    const count = steps[kind] ?? 0;
    return count === 0 ? [] : [words[kind](count)];
  });
  return `planned: ${kinds.join(', ')}`;
}
