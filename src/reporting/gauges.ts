/** The current state as Prometheus gauges. Names and labels are a public interface. */
import { Gauge, type Registry } from 'prom-client';
import type { Day } from '../model/day.ts';
import type { Sanitize } from '../model/sanitize.ts';
import { appVersion } from '../model/version.ts';

/** The current state of warehouse and nights. */
export interface Standing {
  /** The current time, in ms since 1970. */
  readonly nowMs: number;
  /** The last held day of each endpoint of each organization. */
  readonly lastDays: readonly {
    readonly organization: string;
    readonly endpoint: string;
    readonly day: Day;
  }[];
  /** Numbers of refused slices. An endpoint of `lastDays` that is missing here has none. */
  readonly refused: readonly {
    readonly organization: string;
    readonly endpoint: string;
    readonly slices: number;
  }[];
  /** Numbers of organizations by state; undefined when unknown. */
  readonly organizations: Readonly<Record<string, number>> | undefined;
  /** Failed tries of the current night; 0 when the night is complete; undefined when unknown. */
  readonly nightFailedTries: number | undefined;
  readonly isDatabaseUp: boolean;
  /** Time of the next try, in ms since 1970; undefined or infinite for never. */
  readonly nextRunMs: number | undefined;
}

const dayMs = 86_400_000;

/** Registers the gauges. Returns a function that sets them. */
export function openGauges(registry: Registry, sanitize: Sanitize): (standing: Standing) => void {
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name: `usage_etl_${name}`, help, labelNames, registers: [registry] });
  const freshness = gauge(
    'freshness_seconds',
    'Time since the end of the last whole day, from the ledger.',
    'organization',
    'endpoint',
  );
  const refusedSlices = gauge(
    'slices_refused',
    'Slices with a refused answer and no successful reading since; a person must decide.',
    'organization',
    'endpoint',
  );
  const organizationStates = gauge(
    'organizations',
    'Organizations by the state of their newest night: whole, pending, failed; never: nothing was ever loaded.',
    'state',
  );
  const failedTries = gauge(
    'night_failed_tries',
    'Failed tries of the current night; 0 when it is complete.',
  );
  const databaseUp = gauge('database_up', 'Whether the database answers: 1, or 0.');
  const nextRun = gauge('next_run_timestamp_seconds', 'Time of the next try, in seconds since 1970.');
  const build = gauge('build_info', 'Version of this program; always 1.', 'version', 'node_version');
  build.set({ version: appVersion, node_version: process.versions.node }, 1);
  return ({ nowMs, lastDays, refused, organizations = {}, nightFailedTries, isDatabaseUp, nextRunMs }) => {
    freshness.reset();
    refusedSlices.reset();
    organizationStates.reset();
    for (const [state, count] of Object.entries(organizations)) organizationStates.set({ state }, count);
    for (const { organization, endpoint, day } of lastDays) {
      const endMs = Date.parse(`${day}T00:00:00Z`) + dayMs;
      const labels = { organization: sanitize(organization), endpoint };
      freshness.set(labels, (nowMs - endMs) / 1000);
      refusedSlices.set(labels, 0);
    }
    for (const { organization, endpoint, slices } of refused)
      refusedSlices.set({ organization: sanitize(organization), endpoint }, slices);
    if (nightFailedTries === undefined) failedTries.remove();
    else failedTries.set(nightFailedTries);
    databaseUp.set(isDatabaseUp ? 1 : 0);
    if (nextRunMs !== undefined && Number.isFinite(nextRunMs)) nextRun.set(nextRunMs / 1000);
    else nextRun.remove();
  };
}
