/** What `verify` finds. The names in snake case and the single words are a public interface (`--json`). */
import type { NotedSlice, RunStatus } from './run.ts';

/** How a check went, in numbers of comparisons. */
export interface CheckCounts {
  readonly compared: number;
  readonly ok: number;
  /** The parts leave some of the whole unattributed. */
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

/** What parts of one kind leave unattributed, over all days that have a remainder. */
export interface Remainder {
  readonly check: string;
  readonly detail: string;
  readonly days: number;
  /** Sum of the wholes. */
  readonly expected: string;
  /** What of it no part accounts for. */
  readonly unattributed: string;
}

/** How many slices were compared with the raw archive. */
export interface ComparedSlices {
  readonly slices_compared: number;
  /** Slices that hold rows and of which the archive has nothing. */
  readonly slices_not_compared: number;
}

/** A verification that ended. */
export interface VerificationReport {
  readonly runId: number;
  readonly status: RunStatus;
  readonly checks: readonly CheckSummary[];
  /** The first of them. */
  readonly contradictions: readonly Contradiction[];
  readonly remainders: readonly Remainder[];
  /** Undefined where the archive was not asked for, or not reached. */
  readonly archive?: ComparedSlices | undefined;
  /** Checks, or days of them, that could not be made. */
  readonly failures: readonly NotedSlice[];
  /** What stopped the run early; undefined when nothing did. */
  readonly stoppedBy: unknown;
}
