/** The work of a run, by which its progress is measured. */
import type { RunEvent } from '../run.ts';

/** What a run has done of its work, and what is left. Times are in milliseconds since the plan was made. */
export interface Work {
  /** Call it with each event. Returns how much work the event ended, in milliseconds. */
  hear(event: RunEvent, elapsedMs: number): number;
  /** The work that is left, in milliseconds; the size of unknown parts is assumed. */
  readonly leftMs: number;
  /** The time that is left; undefined while too little is known. */
  readonly timeLeftMs: number | undefined;
  /** The parts that people count, such as slices. */
  readonly parts: { readonly done: number; readonly total: number };
  /** The number of answered requests, and of all expected requests; undefined while that is unknown. */
  readonly requests: { readonly done: number; readonly total: number } | undefined;
}
