/** The result of a run: the summary of `--json`, and the report for people. */
import type { CountedDrift } from './drift.ts';
import type { RequestCounts, RunStatus } from './run.ts';

/** The state of an optional source. `off`: not selected. `failed`: also when the run ended before it read the source. */
export type SourceState = 'loaded' | 'unchanged' | 'empty' | 'failed' | 'unavailable' | 'off';

/** The `--json` output of `nightly` and `backfill`; the names are a public interface. */
export interface RunSummary {
  readonly run_id: number;
  readonly status: RunStatus;
  readonly slices: Readonly<
    Record<'planned' | 'loaded' | 'unchanged' | 'empty' | 'pending' | 'refused' | 'failed', number>
  >;
  /** The tables of refused answers; undefined when none was refused. */
  readonly refused?: readonly RefusedTable[];
  /** Optional sources by name; undefined for jobs without requests. */
  readonly sources?: Readonly<Record<string, SourceState>>;
  readonly rows: Readonly<Record<'read' | 'inserted' | 'updated' | 'deleted' | 'rejected', number>>;
  readonly requests: Readonly<RequestCounts>;
  /**
   * Users who were forgotten because they have an e-mail that `forget-user` was asked to forget; absent when there are
   * none.
   */
  readonly forgotten?: number;
  readonly duration_ms: number;
}

/** A table that a refused answer would have shrunk; the names are a public interface. */
export interface RefusedTable {
  readonly endpoint: string;
  readonly slice_key: string;
  readonly table: string;
  readonly held: number;
  readonly would_hold: number;
}

/** A slice that needs attention, and why. */
export interface NotedSlice {
  readonly endpoint: string;
  readonly key: string;
  readonly reason: string;
}

/** Drift of one kind at one path of one endpoint. */
export interface EndpointDrift extends CountedDrift {
  readonly endpoint: string;
}

/** The result of a run, for people. */
export interface RunReport {
  readonly summary: RunSummary;
  readonly failures: readonly NotedSlice[];
  /** First and last day with new content, by endpoint. */
  readonly loaded: readonly { readonly endpoint: string; readonly from: string; readonly to: string }[];
  /** Slices with refused answers; their stored rows stay. */
  readonly refused: readonly NotedSlice[];
  readonly drift: readonly EndpointDrift[];
  /** Why the run ended early; undefined when it did not. */
  readonly stoppedBy: unknown;
}
