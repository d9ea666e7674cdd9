/** Prometheus counters and histograms of runs. Names and labels are a public interface. */
import { Counter, collectDefaultMetrics, Histogram, type Registry } from 'prom-client';
import { driftKinds } from '../model/drift.ts';
import type { RunEvent, RunObserver } from '../model/run.ts';
import type { Sanitize } from '../model/sanitize.ts';

/** Options of the metrics. */
export interface MetricsOptions {
  readonly registry: Registry;
  /** Sanitizes labels from outside. */
  readonly sanitize: Sanitize;
  /** Names of the sources. */
  readonly endpoints: readonly string[];
  /** With more organizations, counters of slices, rows and drift have no label `organization`. */
  readonly mostOrganizations: () => number;
}

/** Metrics of the runs of this process. */
export interface RunMetrics {
  readonly observe: RunObserver;
  /**
   * Makes the counters of organizations with the value 0: an increase can only be computed from an earlier value. There
   * are `count` organizations in all. If these are too many, counters are summed over organizations from now on.
   */
  expect(organizations: readonly string[], count: number): Promise<void>;
}

const outcomes = ['loaded', 'unchanged', 'empty', 'pending', 'refused', 'failed'] as const;
const changes = ['read', 'inserted', 'updated', 'deleted', 'rejected'] as const;
const statusesToExpect = ['200', '401', '403', '429', 'timeout', 'network'] as const;

/** Gauges of Node whose names are those of counters: they are left out, because `promtool check metrics` refuses them. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Registers the metrics of runs, and the usual metrics of a Node process. */
export function openRunMetrics({
  registry,
  sanitize,
  endpoints,
  mostOrganizations,
}: MetricsOptions): RunMetrics {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name: `usage_etl_${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Histogram({ name: `usage_etl_${name}`, help, labelNames, registers, buckets: secondsOfBuckets });

  const runs = counter('runs_total', 'Runs that ended, by job and status.', 'job', 'status');
  const slices = counter('slices_total', 'Slices by outcome.', 'organization', 'endpoint', 'outcome');
  const rows = counter(
    'rows_total',
    'Rows read, written and rejected.',
    'organization',
    'endpoint',
    'change',
  );
  const requests = counter(
    'requests_total',
    'Attempts of requests to the platform, by HTTP status, timeout or network.',
    'endpoint',
    'status',
  );
  const retries = counter('request_retries_total', 'Attempts that were retries.', 'endpoint');
  const waits = counter(
    'rate_limit_wait_seconds_total',
    'Total time that requests waited for the rate budget and for pauses that the platform asked for.',
  );
  const drift = counter(
    'drift_total',
    'Unexpected parts of payloads, see etl.drift.',
    'organization',
    'endpoint',
    'kind',
  );
  const requestSeconds = histogram('request_duration_seconds', 'Duration of an attempt.', 'endpoint');
  const loadSeconds = histogram('load_duration_seconds', 'Duration of a transaction that writes slices.');

  for (const endpoint of endpoints) {
    retries.inc({ endpoint }, 0);
    for (const status of statusesToExpect) requests.inc({ endpoint, status }, 0);
  }
  for (const status of ['succeeded', 'partial', 'failed']) runs.inc({ job: 'nightly', status }, 0);

  const ofOrganizations: readonly Counter[] = [slices, rows, drift];
  const known = new Set<string>();
  let isSummed = false;
  /** The label of an organization, sanitized; none if counters are summed. */
  const ofOrganization = (organization: string) => (isSummed ? {} : { organization });

  function begin(organization: string): void {
    known.add(organization);
    const label = ofOrganization(organization);
    for (const endpoint of endpoints) {
      for (const outcome of outcomes) slices.inc({ ...label, endpoint, outcome }, 0);
      for (const change of changes) rows.inc({ ...label, endpoint, change }, 0);
      for (const kind of driftKinds) drift.inc({ ...label, endpoint, kind }, 0);
    }
  }

  async function sumUp(): Promise<void> {
    isSummed = true;
    for (const counter of ofOrganizations) {
      const { values } = await counter.get();
      counter.reset();
      for (const { labels, value } of values) {
        const { organization, ...others } = labels;
        counter.inc(others, value);
      }
    }
  }

  async function expect(organizations: readonly string[], count: number): Promise<void> {
    if (!isSummed && Math.max(count, known.size) > mostOrganizations()) await sumUp();
    if (isSummed) begin('');
    else for (const organization of organizations) begin(sanitize(organization));
  }

  function countSlice(
    organization: string,
    event: Extract<RunEvent, { type: 'slice-done' | 'slice-failed' }>,
  ): void {
    const labels = { ...ofOrganization(organization), endpoint: event.slice.endpoint };
    if (event.type === 'slice-failed') {
      slices.inc({ ...labels, outcome: 'failed' });
      rows.inc({ ...labels, change: 'rejected' }, event.rejected);
      return;
    }
    const { result, inserted, updated, deleted, rejected, refused } = event.outcome;
    slices.inc({ ...labels, outcome: result });
    const counts = { read: event.rowsRead, inserted, updated, deleted, rejected };
    for (const change of changes) rows.inc({ ...labels, change }, counts[change]);
    for (const { kind, occurrences } of event.drift) drift.inc({ ...labels, kind }, occurrences);
    if (refused !== undefined) drift.inc({ ...labels, kind: 'shrunk' });
  }

  return {
    expect,
    observe() {
      let job = '';
      let organization = '';
      return (event) => {
        switch (event.type) {
          case 'run-begun':
            job = event.job;
            break;
          case 'planned':
            organization = sanitize(event.organizationId);
            begin(organization);
            break;
          case 'slice-done':
          case 'slice-failed':
            countSlice(organization, event);
            break;
          case 'answers-drifted':
            for (const { kind, occurrences } of event.drift)
              drift.inc(
                { ...ofOrganization(organization), endpoint: event.slice.endpoint, kind },
                occurrences,
              );
            break;
          case 'budget-waited':
            waits.inc(event.waitedMs / 1000);
            break;
          case 'attempt-ended': {
            const endpoint = event.purpose?.endpoint ?? 'other';
            requests.inc({ endpoint, status: String(event.status) });
            requestSeconds.observe({ endpoint }, event.durationMs / 1000);
            if (event.retry > 0) retries.inc({ endpoint });
            break;
          }
          case 'load-ended':
            loadSeconds.observe(event.durationMs / 1000);
            break;
          case 'run-ended':
            runs.inc({ job, status: event.status });
            break;
        }
      };
    },
  };
}

const secondsOfBuckets = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300];
