/** Describes the plan of a run before it begins. */
import type { RunEvent } from '../model/run.ts';
import { LoadWork } from '../model/work/load-work.ts';
import type { PlannedRequests, StepKind } from '../model/work/planned-work.ts';
import { counted } from './number-text.ts';
import { duration } from './progress-line.ts';

/** The requests of a plan, as JSON and the log have them. */
export interface RequestFigures {
  readonly requests_at_least: number;
  /** Null while nothing is known of the pages of a source; so is the time. */
  readonly requests_expected: number | null;
  /** Sources of whose pages nothing is known. */
  readonly pages_unknown: readonly string[];
  readonly expected_seconds: number | null;
}

/** The figures of the requests of a load before it begins. */
export function figuresOfRequests(asking: PlannedRequests): RequestFigures {
  const { requests, unknown, timeLeftMs } = new LoadWork(asking);
  return {
    requests_at_least: asking.reads.length,
    requests_expected: requests?.total ?? null,
    pages_unknown: unknown,
    expected_seconds: timeLeftMs === undefined ? null : Math.ceil(timeLeftMs / 1000),
  };
}

/** The requests of a plan and their time; no time while that of a part is not known. */
export function requestsInWords(figures: RequestFigures): string {
  const { requests_expected, expected_seconds, requests_at_least, pages_unknown } = figures;
  if (requests_expected === null || expected_seconds === null)
    return `at least ${counted(requests_at_least, 'request')}; pages of ${pages_unknown.join(', ')} are not known yet`;
  return `about ${counted(requests_expected, 'request')}, which take about ${duration(1000 * expected_seconds)}`;
}

/** What a load is going to do, and that it may be interrupted. */
export function planInWords({ slices, asking }: Extract<RunEvent, { type: 'planned' }>): string {
  if (asking === undefined || slices === 0) return `planned: ${counted(slices, 'slice')}`;
  return (
    `planned: ${counted(slices, 'slice')} in ${requestsInWords(figuresOfRequests(asking))}; ` +
    'it may be interrupted at any time: what is loaded stays, and the same command goes on from there'
  );
}

/** What a run in steps is going to do. */
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
