import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import type { SimulatedRequest } from '../../src/simulator/server.ts';
import { fieldsOf } from '../support/exact-json.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { type Installation, install, organization } from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

const [from, to] = ['2026-01-14', '2026-01-17'];
const backfill = `backfill --from ${from} --to ${to}`;

/** Errors by `endpoint day` of the slices that failed. */
async function failures({ database }: Installation): Promise<Readonly<Record<string, string>>> {
  const { rows } = await database.pool.query<{ slice: string; error: string }>(
    "select endpoint || ' ' || usage_date as slice, error from etl.slice where status = 'failed'",
  );
  return Object.fromEntries(rows.map(({ slice, error }) => [slice, error]));
}

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

test('an answer that contradicts its request fails its slice alone', async () => {
  const changedMeta = (change: Readonly<Record<string, unknown>>): Fault => ({
    kind: 'mutate',
    mutate: (envelope) => {
      const { data, meta } = fieldsOf(envelope);
      return { data, meta: { ...fieldsOf(meta), ...change } };
    },
  });
  const faults: Readonly<Record<string, Fault>> = {
    'users 2026-01-14': changedMeta({ org_id: 'org_other' }),
    'users 2026-01-15': changedMeta({ start_date: '2026-01-14' }),
    'users 2026-01-16': changedMeta({ has_more: true, next_cursor: 'user_000000001' }),
    'users 2026-01-17': changedMeta({ has_more: true, next_cursor: undefined }),
    'tokens 2026-01-15': changedMeta({ org_id: 'org_other' }),
    'tools 2026-01-16': changedMeta({ end_date: '2026-01-17' }),
  };
  const nameOf = ({ path, query }: SimulatedRequest) =>
    `${path.slice(path.lastIndexOf('/') + 1)} ${query.startDate}`;
  await using installation = await install({ fault: (request) => faults[nameOf(request)] });
  const { code, summary } = await installation.load(backfill, { WINDOW_DAYS: '1' });
  expect(code).toBe(1);
  expect(summary.slices).toMatchObject({ planned: 20, loaded: 14, failed: 6 });
  const errors = await failures(installation);
  expect(Object.keys(errors).sort()).toEqual(Object.keys(faults).sort());
  expect(errors['users 2026-01-14']).toContain('org_other');
  expect(errors['users 2026-01-15']).toContain('2026-01-14');
  expect(errors['users 2026-01-16']).toContain('user_000000001');
  expect(errors['users 2026-01-17']).toContain('next_cursor');
  const others = installation
    .payloads(from, to)
    .filter(({ endpoint, day }) => !(`${endpoint} ${day}` in faults));
  expect(await storedWarehouse(installation.database.pool)).toEqual(expectedWarehouse(organization, others));
});
