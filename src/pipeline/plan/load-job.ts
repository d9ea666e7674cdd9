/** What `nightly`, `backfill`, `sessions load` and the demo ask of a run that loads. */
import type { Day } from '../../model/day.ts';
import type { Read, Source } from '../../model/source.ts';
import type { NamedSlices } from './named-slices.ts';
import type { KnownSlices, PlanOptions } from './plan.ts';

/** What distinguishes one load job from another. */
export interface LoadJob {
  readonly name: 'nightly' | 'backfill' | 'sessions load';
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The last day that the platform serves, or that the job takes as such. */
  readonly yesterday: Day;
  /** The sources that it reads. */
  readonly sources: readonly Source[];
  /** Decides from the ledger what to read of them. */
  readonly plan: (
    known: KnownSlices,
    options: PlanOptions & { readonly lookbackDays: number },
  ) => readonly Read[];
  /** Names slices that only somebody can name. */
  readonly named?: NamedSlices;
  /** The first of the days that somebody wants from now on: what is missing of them is a gap. */
  readonly asksFrom?: Day;
  /** Compares every row, also where the answers are known. */
  readonly force?: boolean;
  /** Lets an answer empty what is held. */
  readonly allowEmpty?: boolean;
}
