/** The results of `verify`. The snake-case names and the single words are a public interface (`--json`). */
import type { RunStatus } from './run.ts';
import type { NotedSlice } from './run-report.ts';

/** How many comparisons a check made, by result. */
export interface CheckCounts {
  readonly compared: number;
  readonly ok: number;
  /** Comparisons in which the parts sum to less than the whole. */
  readonly remainders: number;
  /** Comparisons of two figures that cannot both be right. */
  readonly contradictions: number;
}

/** The result of one check. */
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

/** How much of a whole its parts do not account for, over all days with such a remainder. */
export interface Remainder {
  readonly check: string;
  readonly detail: string;
  readonly days: number;
  /** Sum of the wholes. */
  readonly expected: string;
  /** Sum of what the parts do not account for. */
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
  /** The first contradictions; `checks` counts all. */
  readonly contradictions: readonly Contradiction[];
  readonly remainders: readonly Remainder[];
  /** Undefined when the comparison with the archive was not requested, or the run ended before it. */
  readonly archive?: ComparedSlices | undefined;
  /** Checks, or days of checks, that failed. */
  readonly failures: readonly NotedSlice[];
  /** Why the verification ended early; undefined when it did not. */
  readonly stoppedBy: unknown;
}
