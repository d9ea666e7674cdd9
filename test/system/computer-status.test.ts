/** `bi.computer_status` against figures that are worked out here, and the simulated platform against the tables. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { job as nightly } from '../../jobs/nightly.ts';
import { addDays, type Day, day } from '../../src/model/day.ts';
import { simulatorFromSeed } from '../../src/simulator/from-seed.ts';
import { startComputerSnapshots } from '../support/computer-snapshots.ts';
import { expectedComputers, type Snapshots, storedComputers } from '../support/computer-warehouse.ts';
import { createTestDatabase } from '../support/database.ts';
import { runInProcess } from '../support/in-process.ts';
import { apiKey } from '../support/platform-access.ts';

const firstDay = day('2026-03-01');

interface Step {
  readonly id: string;
  readonly name?: string | undefined;
  readonly status: string;
  readonly error?: string | undefined;
  readonly startedAt?: number | undefined;
}
interface Computer {
  readonly id: string;
  readonly name: string;
  readonly providerType: string;
  readonly status?: string | undefined;
  readonly provisioningSteps: readonly Step[];
}

const steps = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c'),
    name: fc.constantFrom('clone', 'install', undefined),
    status: fc.constantFrom('completed', 'Failed', 'error', 'running'),
    error: fc.constantFrom('it broke', '', undefined),
    startedAt: fc.constantFrom(1_773_000_000, 1_773_000_001, undefined),
  }),
  { selector: ({ id }) => id },
);
/** Some of four computers, on each of six days; or a day on which nobody read. */
const history = fc.array(
  fc.option(
    fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('c1', 'c2', 'c3', 'c4'),
        name: fc.constantFrom('web', 'api'),
        providerType: fc.constantFrom('byom', 'sandbox'),
        status: fc.constantFrom('active', 'error', 'error', 'provisioning', undefined),
        provisioningSteps: steps,
      }),
      { selector: ({ id }) => id },
    ),
    { freq: 4 },
  ),
  { minLength: 6, maxLength: 6 },
);

function failingStep(all: readonly Step[]): string | null {
  const failed = all.filter(
    ({ status, error }) => (error ?? '') !== '' || ['failed', 'error'].includes(status.toLowerCase()),
  );
  const [last] = failed.toSorted((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0) || (a.id < b.id ? -1 : 1));
  return last === undefined ? null : (last.name ?? last.id);
}

/** A row for each computer: what the view should say. */
function expected(readings: readonly (readonly [Day, readonly Computer[]])[]) {
  const ids = [...new Set(readings.flatMap(([, computers]) => computers.map(({ id }) => id)))].sort();
  return ids.flatMap((id) => {
    const of = readings.flatMap(([on, computers]) =>
      computers.filter((each) => each.id === id).map((each) => ({ on, ...each })),
    );
    const newest = of.at(-1);
    if (newest === undefined) return [];
    const sinceLastWithout = of.slice(of.findLastIndex(({ status }) => status !== 'error') + 1);
    return [
      {
        org_id: 'org_test',
        computer_id: id,
        computer_name: newest.name,
        provider_type: newest.providerType,
        snapshot_date: newest.on,
        status: newest.status ?? null,
        days_in_error: of.filter(({ status }) => status === 'error').length,
        first_seen: of[0]?.on,
        failing_step: failingStep(newest.provisioningSteps),
        error_since: sinceLastWithout[0]?.on ?? null,
        is_listed: newest.on === readings.at(-1)?.[0],
      },
    ];
  });
}

test('bi.computer_status tells of each computer what its snapshots say', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (days) => {
      await using platform = await startComputerSnapshots();
      const readings: [Day, Computer[]][] = [];
      for (const [index, computers] of days.entries()) {
        if (computers === null) continue;
        const on = addDays(firstDay, index);
        await platform.night(on, computers);
        readings.push([on, computers]);
      }
      const { rows } = await platform.database.pool.query(`
        select org_id, computer_id, computer_name, provider_type, snapshot_date::text, status,
          days_in_error::integer, first_seen::text, failing_step, error_since::text, is_listed
        from bi.computer_status order by computer_id collate "C"`);
      expect(rows).toEqual(expected(readings));
    }),
    { numRuns: 4 },
  );
});

test.each([
  { 'time-unit': 'seconds', 'listed-steps': 'absent' },
  { 'time-unit': 'milliseconds', 'listed-steps': 'present', 'unknown-names': 'refuse' },
])('nights hold what the simulated platform says of its computers: %o', async (choices) => {
  let now = Date.parse('2026-02-10T12:00:00Z');
  const clock = () => now;
  const from = day('2026-01-14');
  const simulator = await simulatorFromSeed({ seed: 3, users: 2, from, apiKey, choices, clock });
  const database = await createTestDatabase();
  const environment = { API_BASE_URL: simulator.url, API_KEY: apiKey, DATABASE_URL: database.url };
  const list = z.object({ computers: z.array(z.record(z.string(), z.unknown())) });
  const said: Record<string, z.infer<typeof list>['computers']> = {};
  for (const on of ['2026-02-10', '2026-02-11', '2026-03-10']) {
    now = Date.parse(`${on}T12:00:00Z`);
    const address = `${simulator.url}/api/v0/computers?includeProvisioningSteps=true`;
    const response = await fetch(address, { headers: { authorization: `Bearer ${apiKey}` } });
    said[on] = list.parse(await response.json()).computers;
    const { json } = await runInProcess(nightly, { date: '2026-02-09' }, environment, clock);
    expect(json).toMatchObject({ status: 'succeeded', sources: { computers: 'loaded' } });
  }
  expect(said['2026-03-10']?.length).toBeGreaterThan(10);
  expect(await storedComputers(database.pool)).toEqual(expectedComputers(said satisfies Snapshots));
  await simulator.close();
  await database.drop();
});
