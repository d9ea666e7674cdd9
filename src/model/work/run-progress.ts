/** The progress of a run, as a bar or a log shows it. */
import type { RunEvent } from '../run.ts';
import { LoadWork } from './load-work.ts';
import { StepWork } from './step-work.ts';
import type { Work } from './work.ts';

/** What is shown of the progress. */
export interface Progress extends Pick<Work, 'parts' | 'requests'> {
  /** The share of the bar that is filled: 0 to 1. */
  readonly share: number;
  /** What `parts` counts. */
  readonly part: 'slice' | 'step';
  /** The time that is left; undefined while too little is known. */
  readonly timeLeftMs: number | undefined;
}

/**
 * Computes the progress of a run from its events. Work that is done moves the bar by its share of the work that was left:
 * so the bar never goes back, and moves with all work, even if more work is found. `now` is a monotonic clock in ms.
 */
export class RunProgress {
  readonly #now: () => number;
  #work: Work | undefined;
  #part: Progress['part'] = 'slice';
  #share = 0;
  #plannedAt = 0;
  /** The time that was left at the last event that ended some work, and when this event came. */
  #timeLeft: { readonly ms: number | undefined; readonly at: number } = { ms: undefined, at: 0 };

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Call it with each event. Returns whether the event moved the bar. */
  hear(event: RunEvent): boolean {
    if (event.type === 'planned' || event.type === 'steps-planned') this.#plan(event);
    const work = this.#work;
    if (work === undefined) return false;
    const at = this.#now();
    const done = work.hear(event, at - this.#plannedAt);
    const { leftMs } = work;
    const isLast = leftMs === 0 && this.#share > 0;
    if (done <= 0 && !isLast) return false;
    this.#share = isLast ? 1 : 1 - (1 - this.#share) * (leftMs / (leftMs + done));
    this.#timeLeft = { ms: work.timeLeftMs, at };
    return done > 0;
  }

  /** What to show now; undefined before there is a plan. */
  get shown(): Progress | undefined {
    if (this.#work === undefined) return undefined;
    const { parts, requests } = this.#work;
    const { ms, at } = this.#timeLeft;
    // The time is counted down between two events, to half at most: if the next one is late, the estimate may be wrong.
    const timeLeftMs = ms === undefined ? undefined : Math.max(ms / 2, ms - (this.#now() - at));
    return { share: this.#share, part: this.#part, parts, requests, timeLeftMs };
  }

  #plan(event: Extract<RunEvent, { type: 'planned' | 'steps-planned' }>): void {
    if (event.type === 'planned' && event.asking !== undefined) this.#work = new LoadWork(event.asking);
    else {
      const steps = event.type === 'planned' ? { slice: event.slices } : event.steps;
      this.#part = event.type === 'planned' ? 'slice' : 'step';
      // A run for several organizations plans the steps of one after the other.
      if (this.#work instanceof StepWork) {
        this.#work.plan(steps);
        return;
      }
      this.#work = new StepWork(steps);
    }
    this.#plannedAt = this.#now();
  }
}
