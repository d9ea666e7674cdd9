/** The results of `verify`. The snake-case names and the single words are a public interface (`--json`). */
import type { RunStatus } from './run.ts';
import type { NotedSlice } from './run-report.ts';

/** Numbers of comparisons of a check. */
export interface CheckCounts {
  readonly compared: number;
  readonly ok: number;
  /** The parts sum to less than the whole. */
  readonly remainders: number;
  /** Both figures cannot be right. */
  readonly contradictions: number;
}

/** One check of a run. */
export interface CheckSummary extends CheckCounts {
  readonly name: string;
}

/** Two figures that cannot both be right. Figures are exact decimal text; null where there is none. */
export interface Contradiction {
  readonly check: string;
  readonly endpoint: string | null;
  /** `YYYY-MM-DD`. */
  readonly usage_date: string | null;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly detail: string;
}

/** What the parts of one kind leave unattributed, over all days with a remainder. */
export interface Remainder {
  readonly check: string;
  readonly detail: string;
  readonly days: number;
  /** Sum of the wholes. */
  readonly expected: string;
  /** The part of it that no part accounts for. */
  readonly unattributed: string;
}

/** Numbers of slices compared with the raw archive. */
export interface ComparedSlices {
  readonly slices_compared: number;
  /** Slices with rows, but without an archive. */
  readonly slices_not_compared: number;
}

/** The result of a verification. */
export interface VerificationReport {
  readonly runId: number;
  readonly status: RunStatus;
  readonly checks: readonly CheckSummary[];
  /** The first contradictions. */
  readonly contradictions: readonly Contradiction[];
  readonly remainders: readonly Remainder[];
  /** Undefined when the archive was not requested or not reached. */
  readonly archive?: ComparedSlices | undefined;
  /** Checks, or days of checks, that failed. */
  readonly failures: readonly NotedSlice[];
  /** The reason of an early end; undefined without one. */
  readonly stoppedBy: unknown;
}
