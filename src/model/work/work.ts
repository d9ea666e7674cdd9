/** The work of a run that its progress is measured by. */
import type { RunEvent } from '../run.ts';

/** What a run has done of its work, and what is left. Times are in milliseconds since the plan was made. */
export interface Work {
  /** Takes in an event. Returns the work that it ended, in milliseconds. */
  hear(event: RunEvent, elapsedMs: number): number;
  /** The work that is left, in milliseconds. Parts of unknown size are assumed. */
  readonly leftMs: number;
  /** The time that is left; undefined while too little is known. */
  readonly timeLeftMs: number | undefined;
  /** The parts that people count, such as slices. */
  readonly parts: { readonly done: number; readonly total: number };
  /** The requests that were answered, and all that are expected; undefined while their number is unknown. */
  readonly requests: { readonly done: number; readonly total: number } | undefined;
}
