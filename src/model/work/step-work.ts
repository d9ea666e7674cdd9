/** The work of a run in steps of several kinds, one kind after the other, such as the checks of `verify`. */
import type { RunEvent } from '../run.ts';
import type { StepKind } from './planned-work.ts';
import type { Work } from './work.ts';

/** Steps of one kind. */
interface Steps {
  done: number;
  left: number;
  /** The time that the done steps took. */
  ms: number;
}

/** Time of a step, assumed until one of its kind is done; only the progress bar uses it. */
const assumedMs: Readonly<Record<StepKind, number>> = { compare: 50, check: 1_000, archive: 50, slice: 50 };
/** Before so much time the speed is not representative. */
const saysNothingBeforeMs = 1_000;

/** The work of a run in steps. */
export class StepWork implements Work {
  readonly requests = undefined;
  readonly #kinds = new Map<StepKind, Steps>();
  #elapsedMs = 0;

  constructor(steps: Readonly<Partial<Record<StepKind, number>>>) {
    this.plan(steps);
  }

  /** Sets the whole number of steps of each kind; it includes steps that are done. */
  plan(steps: Readonly<Partial<Record<StepKind, number>>>): void {
    for (const kind of ['compare', 'check', 'archive', 'slice'] as const) {
      const { done, ms } = this.#kinds.get(kind) ?? { done: 0, ms: 0 };
      const total = steps[kind] ?? 0;
      if (total > 0) this.#kinds.set(kind, { done, left: Math.max(0, total - done), ms });
    }
  }

  get parts(): Work['parts'] {
    let [done, left] = [0, 0];
    for (const steps of this.#kinds.values()) {
      done += steps.done;
      left += steps.left;
    }
    return { done, total: done + left };
  }

  get leftMs(): number {
    let ms = 0;
    for (const [kind, steps] of this.#kinds) ms += steps.left * timeOf(kind, steps);
    return ms;
  }

  get timeLeftMs(): number | undefined {
    const isUnknown = [...this.#kinds.values()].some(({ done, left }) => done === 0 && left > 0);
    return isUnknown || this.#elapsedMs < saysNothingBeforeMs ? undefined : this.leftMs;
  }

  hear(event: RunEvent, elapsedMs: number): number {
    const [kind, count] = stepsOf(event);
    const steps = kind === undefined ? undefined : this.#kinds.get(kind);
    if (kind === undefined || steps === undefined) return 0;
    steps.ms += elapsedMs - this.#elapsedMs;
    steps.done += count;
    steps.left = Math.max(0, steps.left - count);
    this.#elapsedMs = elapsedMs;
    return count * timeOf(kind, steps);
  }
}

/** The kind and the number of the steps that an event ends. */
function stepsOf(event: RunEvent): readonly [StepKind | undefined, number] {
  if (event.type === 'steps-done') return [event.kind, event.steps];
  return event.type === 'slice-done' || event.type === 'slice-failed' ? ['slice', 1] : [undefined, 0];
}

function timeOf(kind: StepKind, { done, ms }: Steps): number {
  return done === 0 ? assumedMs[kind] : Math.max(ms / done, 0.001);
}
