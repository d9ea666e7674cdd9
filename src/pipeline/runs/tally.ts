/** Counts the events of a run. */

import type { CountedDrift } from '../../model/drift.ts';
import type { LoadOutcome, Refusal, RunEvent, RunStatus } from '../../model/run.ts';
import type {
  EndpointDrift,
  NotedSlice,
  RefusedTable,
  RunSummary,
  SourceState,
} from '../../model/run-report.ts';
import type { Slice } from '../../model/source.ts';

/** The counters of a run. */
export interface Tally {
  readonly slices: Record<keyof RunSummary['slices'], number>;
  /** The states of the sources that a platform need not have, by name. */
  readonly sources: Record<string, SourceState>;
  readonly rows: Record<'read' | 'inserted' | 'updated' | 'deleted' | 'rejected', number>;
  readonly checks: Record<'done' | 'failed', number>;
  /** Users whose credit limits could be set, and users whose limits could not. */
  readonly limits: Record<'done' | 'failed', number>;
  readonly failures: NotedSlice[];
  /** Slices whose answers were refused, and the tables that these answers would have shrunk. */
  readonly refused: NotedSlice[];
  readonly shrunk: RefusedTable[];
  readonly drift: Map<string, EndpointDrift>;
  /** The first and the last day with new content, by endpoint. */
  readonly loaded: Map<string, { endpoint: string; from: string; to: string }>;
  /** Users who were forgotten because they have an address that somebody asked to forget. */
  readonly persons: Record<'byAddress', number>;
  count(event: RunEvent): void;
}

/** Creates counters at zero; `firstStates` are the states of sources before their first slice. */
export function createTally(firstStates: Readonly<Record<string, SourceState>> = {}): Tally {
  const sources = { ...firstStates };
  const slices = { planned: 0, loaded: 0, unchanged: 0, empty: 0, pending: 0, refused: 0, failed: 0 };
  const rows = { read: 0, inserted: 0, updated: 0, deleted: 0, rejected: 0 };
  const checks = { done: 0, failed: 0 };
  const limits = { done: 0, failed: 0 };
  const persons = { byAddress: 0 };
  const failures: NotedSlice[] = [];
  const refused: NotedSlice[] = [];
  const shrunk: RefusedTable[] = [];
  const drift = new Map<string, EndpointDrift>();
  const loaded: Tally['loaded'] = new Map();

  function countDrift(endpoint: string, found: CountedDrift): void {
    const key = [endpoint, found.kind, found.path].join('\0');
    const occurrences = (drift.get(key)?.occurrences ?? 0) + found.occurrences;
    drift.set(key, { ...found, endpoint, occurrences });
  }

  function setState({ endpoint }: Slice, state: SourceState): void {
    if (Object.hasOwn(sources, endpoint)) sources[endpoint] = state;
  }

  function countRefused({ endpoint, key }: Slice, { reason, tables }: Refusal): void {
    refused.push({ endpoint, key, reason });
    for (const { table, held, wouldHold } of tables)
      shrunk.push({ endpoint, slice_key: key, table, held, would_hold: wouldHold });
  }

  function countLoaded({ endpoint, key, usageDate }: Slice): void {
    if (usageDate === null) return;
    const { from = key, to = key } = loaded.get(endpoint) ?? {};
    loaded.set(endpoint, { endpoint, from: key < from ? key : from, to: key > to ? key : to });
  }

  return {
    slices,
    sources,
    rows,
    checks,
    limits,
    persons,
    failures,
    refused,
    shrunk,
    drift,
    loaded,
    count(event) {
      if (event.type === 'planned') slices.planned = event.slices;
      if (event.type === 'slice-done') {
        const { slice, outcome } = event;
        slices[outcome.result] += 1;
        setState(slice, stateAfter(outcome));
        if (outcome.result === 'loaded') countLoaded(slice);
        rows.read += event.rowsRead;
        rows.inserted += outcome.inserted;
        rows.updated += outcome.updated;
        rows.deleted += outcome.deleted;
        rows.rejected += outcome.rejected;
        for (const found of event.drift) countDrift(slice.endpoint, found);
        if (outcome.refused !== undefined) countRefused(slice, outcome.refused);
      }
      if (event.type === 'answers-drifted')
        for (const found of event.drift) countDrift(event.slice.endpoint, found);
      if (event.type === 'slice-failed') {
        slices.failed += 1;
        setState(event.slice, 'failed');
        rows.rejected += event.rejected;
        failures.push({ endpoint: event.slice.endpoint, key: event.slice.key, reason: event.reason });
      }
      if (event.type === 'imported') {
        rows.read += event.rowsRead;
        rows.inserted += event.changes.inserted;
        rows.updated += event.changes.updated;
        rows.deleted += event.changes.deleted;
      }
      if (event.type === 'source-unavailable') {
        slices.planned -= 1;
        setState(event.slice, 'unavailable');
      }
      if (event.type === 'check-done') {
        checks.done += 1;
        rows.read += event.rowsRead;
      }
      if (event.type === 'limits-answered') {
        limits.done += event.set;
        limits.failed += event.notSet;
      }
      if (event.type === 'forgotten-by-address') persons.byAddress += event.users;
      if (event.type === 'check-failed') {
        checks.failed += 1;
        failures.push({ endpoint: event.check, key: event.part, reason: event.reason });
      }
    },
  };
}

/** The state of a source after one of its slices. A refused answer changes nothing, so the source is unchanged. */
function stateAfter({ result }: LoadOutcome): SourceState {
  if (result === 'pending') return 'empty';
  return result === 'refused' ? 'unchanged' : result;
}

/** The status of a run, from its slices, checks and limits. */
export function statusOf({ slices, checks, limits }: Tally, aborted: boolean): RunStatus {
  const { loaded, unchanged, empty, pending, refused } = slices;
  const done = loaded + unchanged + empty + pending + refused + checks.done + limits.done;
  const failed = slices.failed + checks.failed + limits.failed;
  if (failed === 0 && !aborted) return 'succeeded';
  return done > 0 ? 'partial' : 'failed';
}
