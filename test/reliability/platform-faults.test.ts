import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/model/run-report.ts';
import { RandomStream } from '../../src/simulator/random.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import {
  type Installation,
  type InstallationOptions,
  install,
  organization,
} from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';
import { createFaultPlan } from './fault-plan.ts';
import { backfillInProcess } from './in-process-backfill.ts';
import { randomTest } from './random-test.ts';
import { restate } from './restatements.ts';

const range = { from: '2026-01-14', to: '2026-02-10' };
const faults = randomTest('USAGE_ETL_FAULTS', {
  file: 'platform-faults',
  count: 1_000,
  seed: 20260114,
  timeoutMs: 300_000,
});
/** More than any answer here has. */
const maxResponseBytes = 300_000;

let installation: Installation;

async function installed(options: InstallationOptions): Promise<void> {
  installation = await install({ users: 40, ...options });
}

afterEach(() => installation[Symbol.asyncDispose]());

async function equalsPayloads(): Promise<void> {
  const expected = expectedWarehouse(organization, installation.payloads(range.from, range.to));
  expect(await storedWarehouse(installation.database.pool)).toEqual(expected);
}

describe(`${faults.count} faults of every kind`, () => {
  const plan = createFaultPlan({ seed: faults.seed, share: 0.5, maxResponseBytes, widestWindowDays: 2 });
  beforeEach(() => installed({ fault: plan.fault }));

  test('fail no more than slices, which later runs repair', { timeout: faults.timeoutMs }, async ({
    onTestFailed,
  }) => {
    onTestFailed(faults.tellHowToRepeat);
    const random = new RandomStream(faults.seed + 1);
    const reports: RunReport[] = [];
    const run = async () => {
      const report = await backfillInProcess({
        ...range,
        environment: { ...installation.environment, PAGE_SIZE: '5' },
        config: {
          maxRetries: 3,
          maxResponseBytes,
          maxConcurrency: 16,
          requestTimeoutMs: 60,
        },
        force: true,
      });
      reports.push(report);
      return report;
    };
    while (plan.total() < faults.count) {
      restate(installation, range, random, 10);
      await run();
    }
    plan.share = 0;
    const failedBefore = reports.at(-1)?.summary.slices.failed ?? 0;
    // What failed in forced runs is read again by the next night; nothing else is but its own day.
    const repair = await backfillInProcess({
      ...range,
      environment: installation.environment,
      nightly: true,
      config: { lookbackDays: 0 },
    });
    await equalsPayloads();
    expect(repair).toMatchObject({ stoppedBy: undefined, summary: { status: 'succeeded' } });
    const yesterdays = new Set(
      reports
        .at(-1)
        ?.failures.filter(({ key }) => key === range.to)
        .map(({ endpoint }) => endpoint),
    );
    expect(repair.summary.slices.planned).toBe(failedBefore + 5 - yesterdays.size);
    const failed = reports.reduce((sum, { summary }) => sum + summary.slices.failed, 0);
    console.log(
      `${plan.total()} faults in ${reports.length} runs, ${failed} slices failed and were repaired, warehouse equal (seed ${faults.seed}):`,
      JSON.stringify(plan.counts),
    );
  });
});
