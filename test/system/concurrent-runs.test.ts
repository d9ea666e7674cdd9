import { expect, test } from 'vitest';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { type Installation, install, organization } from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

const [from, to] = ['2026-01-14', '2026-01-16'];
const backfill = `backfill --from ${from} --to ${to}`;

/** An installation whose platform leaves one request unanswered until the client gives up. */
async function installHanging(): Promise<Installation & { readonly hanging: Promise<void> }> {
  const { promise: hanging, resolve } = Promise.withResolvers<void>();
  const installation = await install({
    fault: ({ number }) => {
      if (number !== 8) return undefined;
      resolve();
      return { kind: 'hang' };
    },
  });
  return { ...installation, hanging };
}

test('a second run ends with exit code 4 while the first goes on, and a third may run after it', async () => {
  await using installation = await installHanging();
  const { database, hanging, load, payloads, simulator, start } = installation;
  const first = start(backfill);
  await Promise.race([hanging, first.ended]);
  const second = await installation.run(backfill);
  expect(second.code).toBe(4);
  expect(second.stderr).toMatch(/another run/i);
  // Apart from the request that learns the organization, every one is of the first run: none came twice.
  const asked = simulator.requests.filter(({ days }) => days !== undefined && days.to <= to);
  const addresses = asked.map(({ path, query }) => JSON.stringify([path, query]));
  expect(new Set(addresses).size).toBe(addresses.length);
  expect(simulator.counts.requests - asked.length).toBe(2);
  const { rows: running } = await database.pool.query("select run_id from etl.run where status = 'running'");
  expect(running).toHaveLength(1);

  first.process.kill('SIGTERM');
  const interrupted = await first.ended;
  expect(interrupted.code).toBe(1);
  expect(interrupted.stderr).toContain('SIGTERM');
  const { rows } = await database.pool.query<{ status: string; error: string }>(
    'select status, error from etl.run order by run_id limit 1',
  );
  expect(rows[0]).toMatchObject({
    status: expect.not.stringMatching('running'),
    error: expect.stringContaining('SIGTERM'),
  });

  const third = await load(backfill);
  expect(third.code).toBe(0);
  expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, payloads(from, to)));
});
