/** Plans a verification: what it compares with the platform and with the raw archive. */
import { type Day, type DayRange, today } from '../../model/day.ts';
import type { RunEvent } from '../../model/run.ts';
import type { Read, Source } from '../../model/source.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import { readRequestWindows } from '../../warehouse/ledger/request-window.ts';
import { readLedger } from '../../warehouse/ledger/slice-ledger.ts';
import { planComparison } from '../plan/plan.ts';
import type { OpenRun } from '../runs/with-run.ts';
import { slicesToCompare } from './compare-archive.ts';
import { isGrouped } from './compare-grouped.ts';

/** The days and sources to verify. */
export interface VerifyJob {
  readonly sources: readonly Source[];
  readonly range: DayRange;
  /** The last day that the platform serves. It is requested to learn the organization of the credential. */
  readonly yesterday: Day;
  /** The slices to compare with the raw archive: those of the range, all, or none. */
  readonly archive: 'range' | 'all' | 'none';
}

/** What a verification compares. */
export interface VerificationPlan {
  /** Loaded days, to compare with grouped figures of the platform. */
  readonly grouped: readonly Read[];
  /** Days that the ledger calls empty, to ask about again. */
  readonly empty: readonly Read[];
  /** The largest window that worked, in days, by endpoint. */
  readonly windows: Map<string, number>;
  /** The number of slices to compare with the raw archive. */
  readonly archived: number;
}

/** Plans the comparisons from the ledger. */
export async function planVerification(
  db: Database,
  orgKey: number,
  { sources, range, archive }: VerifyJob,
  { config: { windowDays }, clock }: Pick<OpenRun, 'config' | 'clock'>,
): Promise<VerificationPlan> {
  const ledger = await readLedger(db, orgKey);
  const readsOf = (of: readonly Source[], status: 'loaded' | 'empty') => {
    const plan = { windowDays, today: today(clock), status };
    return planComparison(of, range, { ledger, asked: new Map() }, plan);
  };
  const all = archive === 'all';
  return {
    grouped: readsOf(sources.filter(isGrouped), 'loaded'),
    empty: readsOf(
      sources.filter(({ partitioning }) => partitioning.kind === 'day'),
      'empty',
    ),
    windows: await readRequestWindows(db, orgKey),
    archived: archive === 'none' ? 0 : slicesToCompare({ sources, ledger, range, all }).length,
  };
}

/** The event that reports the plan; `checks` is the number of checks within the warehouse. */
export function plannedSteps({ grouped, empty, archived }: VerificationPlan, checks: number): RunEvent {
  const reads = [...grouped, ...empty];
  const compare = reads.reduce((sum, { slices }) => sum + slices.length, 0);
  return {
    type: 'steps-planned',
    steps: { compare, check: checks, archive: archived },
    requestsAtLeast: reads.length,
  };
}
