import { expect, test } from 'vitest';
import { z } from 'zod';
import { install } from '../support/installation.ts';
import { startProgram } from '../support/program.ts';
import { randomTest } from './random-test.ts';

const result = z.object({ runs: z.number(), failures: z.number(), heapMegabytes: z.array(z.number()) });
const nights = randomTest('USAGE_ETL_NIGHTS', {
  file: 'many-nights',
  count: 50,
  seed: 1,
  timeoutMs: 300_000,
});
/** Code that is compiled, and caches that fill. A night that left its connections behind would hold a hundred times as much. */
const mostGrowthMegabytes = 3;

test(`${nights.count} nights of one process are loaded, and its memory stays flat`, {
  timeout: nights.timeoutMs,
}, async () => {
  const failedOnce = new Set<string>();
  await using installation = await install({
    recordRequests: false,
    clock: () => Date.parse('2040-01-01T00:00:00Z'),
    // Every tenth night needs a second try.
    fault({ path, days }) {
      if (!path.endsWith('/tools') || days?.from.endsWith('0') !== true || failedOnce.has(days.from))
        return undefined;
      failedOnce.add(days.from);
      return { kind: 'reset' };
    },
  });
  const environment = {
    ...installation.environment,
    LOOKBACK_DAYS: '0',
    LOG_LEVEL: 'silent',
    NODE_OPTIONS: '--expose-gc',
  };
  const program = startProgram('test/support/simulated-nights.ts', [String(nights.count)], environment);
  const { stdout, stderr } = await program.ended;
  expect(stderr).toBe('');
  const { runs, failures, heapMegabytes } = result.parse(JSON.parse(stdout));
  const { rows } = await installation.database.pool.query<{ whole: number }>(
    `select count(*)::integer as whole from (
       select from etl.slice where status in ('loaded', 'empty') group by usage_date having count(*) = 5
     ) as days`,
  );
  expect({ failures, whole: rows[0]?.whole }).toEqual({ failures: failedOnce.size, whole: nights.count });
  const settled = heapMegabytes[Math.floor(heapMegabytes.length / 4)] ?? 0;
  const last = heapMegabytes.at(-1) ?? Number.POSITIVE_INFINITY;
  console.log(
    `${runs} tries, ${failures} bad; heap ${settled.toFixed(1)} MB after a quarter, ${last.toFixed(1)} MB at the end`,
  );
  expect(last - settled, JSON.stringify(heapMegabytes)).toBeLessThan(mostGrowthMegabytes);
});
