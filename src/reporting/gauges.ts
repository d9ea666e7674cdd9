/** How things stand at a moment, as gauges of Prometheus. The names and labels are a public interface. */
import { Gauge, type Registry } from 'prom-client';
import type { Day } from '../model/day.ts';
import type { Sanitize } from '../model/sanitize.ts';
import { appVersion } from '../model/version.ts';

/** How things stand. */
export interface Standing {
  /** Of this moment, in ms since 1970. */
  readonly nowMs: number;
  /** The last whole day of each endpoint of each organization. */
  readonly lastDays: readonly {
    readonly organization: string;
    readonly endpoint: string;
    readonly day: Day;
  }[];
  /** How many slices of endpoints of organizations were refused; 0 for those of `lastDays` that are not there. */
  readonly refused: readonly {
    readonly organization: string;
    readonly endpoint: string;
    readonly slices: number;
  }[];
  /** Bad tries of the night that is not whole; 0 when it is; undefined when that is not known. */
  readonly nightFailedTries: number | undefined;
  readonly isDatabaseUp: boolean;
  /** When a night is tried next, in ms since 1970; undefined or infinite for never. */
  readonly nextRunMs: number | undefined;
}

const dayMs = 86_400_000;

/** Registers the gauges. Returns what sets them. */
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
    'Slices of which an answer was refused, and no reading has succeeded since: people decide.',
    'organization',
    'endpoint',
  );
  const failedTries = gauge(
    'night_failed_tries',
    'Tries of the current night that failed; 0 when it is whole.',
  );
  const databaseUp = gauge('database_up', 'Whether the database answers: 1, or 0.');
  const nextRun = gauge('next_run_timestamp_seconds', 'When a night is tried next, in seconds since 1970.');
  const build = gauge('build_info', 'Which program this is: always 1.', 'version', 'node_version');
  build.set({ version: appVersion, node_version: process.versions.node }, 1);
  return ({ nowMs, lastDays, refused, nightFailedTries, isDatabaseUp, nextRunMs }) => {
    freshness.reset();
    refusedSlices.reset();
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
