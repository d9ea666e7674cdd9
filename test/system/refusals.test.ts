import { describe, expect, test } from 'vitest';
import { install } from '../support/installation.ts';

const [from, to] = ['2026-01-14', '2026-01-17'];
const backfill = `backfill --from ${from} --to ${to}`;

describe('credentials that the platform refuses end the run with exit code 3', () => {
  test.each([
    ['401 for a key that it does not know', 'wrong-key', 401, 'the API key is not valid'],
    ['403 for a member', 'member-key', 403, 'analytics need the Manager or Owner role'],
  ])('%s', async (_name, key, status, detail) => {
    await using installation = await install();
    const { code, stderr } = await installation.run(backfill, { API_KEY: key, MAX_RETRIES: '3' });
    expect(code).toBe(3);
    expect(stderr).toContain(detail);
    expect(stderr).toContain('req_00000001');
    expect(installation.simulator.requests.map((request) => request.status)).toEqual([status]);
    const { rows } = await installation.database.pool.query('select status from etl.run');
    expect(rows).toEqual([{ status: 'failed' }]);
  });

  test('also in the middle of a run, which asks for nothing after that', async () => {
    await using installation = await install({
      fault: ({ number }) => (number >= 4 ? { kind: 'status', status: 401 } : undefined),
    });
    const { code, summary } = await installation.load(backfill, { MAX_CONCURRENCY: '1' });
    expect(code).toBe(3);
    expect(summary.slices.loaded).toBeGreaterThan(0);
    expect(installation.simulator.requests).toHaveLength(4);
  });
});
