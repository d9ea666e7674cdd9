/** The jobs that load: `nightly`, `backfill`, `sessions load` and the demo. */
import type { Day } from '../../model/day.ts';
import type { Read, Source } from '../../model/source.ts';
import type { NamedSlices } from './named-slices.ts';
import type { KnownSlices, PlanOptions } from './plan.ts';

/** The options of a load job. */
export interface LoadJob {
  readonly name: 'nightly' | 'backfill' | 'sessions load';
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The last day that the platform serves, as the job assumes. */
  readonly yesterday: Day;
  /** The sources that the job reads. */
  readonly sources: readonly Source[];
  /** Plans the reads from the ledger. */
  readonly plan: (
    known: KnownSlices,
    options: PlanOptions & { readonly lookbackDays: number },
  ) => readonly Read[];
  /** Names the slices of sources that the platform does not list. */
  readonly named?: NamedSlices;
  /** The first day that is wanted from now on: later days that are missing are gaps. */
  readonly asksFrom?: Day;
  /** Compares every row, also if the bytes of the answer are known. */
  readonly force?: boolean;
  /** Lets an answer without rows empty a slice. */
  readonly allowEmpty?: boolean;
}
