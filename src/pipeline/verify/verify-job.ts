/** `verify` against the configured platform. */

import { createPlatformClient } from '../../extract/platform-client.ts';
import { type DayRange, earliestDay } from '../../model/day.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { ForgottenPersons } from '../../model/forgotten-persons.ts';
import type { RunEvent } from '../../model/run.ts';
import type { VerificationReport } from '../../model/verification.ts';
import { appVersion, userAgent } from '../../model/version.ts';
import { createRunReporter } from '../../reporting/run-reporter.ts';
import { organizationProbes, sources } from '../../sources/registry.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import type { Warehouse } from '../runs/open-warehouse.ts';
import { verify } from './verify.ts';

/** Verifies a range of days on an open warehouse. Throws `ConfigurationError` when the platform is not configured. */
export async function runVerifyJob(
  {
    range,
    yesterday,
    archive,
  }: {
    readonly range: DayRange;
    readonly yesterday: DayRange['to'];
    /** Which slices are compared with the raw archive, figure by figure: those of the range, all of them, or none. */
    readonly archive: 'range' | 'all' | 'none';
  },
  surroundings: JobSurroundings,
  warehouse: Warehouse,
): Promise<VerificationReport> {
  const { config, clock, log, redact, abort, observers } = surroundings;
  if (config.platform === undefined) throw new ConfigurationError(['API_BASE_URL, API_KEY: missing']);
  const persons = new ForgottenPersons();
  const client = createPlatformClient({
    ...config,
    ...config.platform,
    userAgent,
    persons,
    signal: abort.signal,
    onEvent: (event) => onEvent(event),
  });
  // Checks are few and quick: they are logged, a bar would only flicker.
  const reporter = await createRunReporter(log, client.counts, false, observers);
  const onEvent = (event: RunEvent) => reporter.onEvent(event);
  try {
    return await verify({
      arguments: { ...range, ...(archive === 'none' ? {} : { archive: true }) },
      appVersion,
      pool: warehouse.pool,
      clock,
      lockTimeoutMs: config.lockTimeoutMs,
      sources,
      range,
      client,
      probes: organizationProbes,
      servedDays: { from: earliestDay, to: yesterday },
      windowDays: config.windowDays,
      pageSize: config.pageSize,
      archive: archive === 'none' ? undefined : { ...config, all: archive === 'all' },
      onEvent,
      redact: persons.behind(redact),
      persons,
      abort,
    });
  } finally {
    reporter.stop();
    await client.close();
  }
}
