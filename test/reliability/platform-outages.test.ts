import { describe, expect, test } from 'vitest';
import { addDays, day } from '../../src/model/day.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import type { SimulatedRequest } from '../../src/simulator/server.ts';
import { fieldsOf, itemsOf } from '../support/exact-json.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { endpoints, type Installation, install, organization } from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';
import { backfillInProcess, type InProcessBackfill } from './in-process-backfill.ts';

/** Two windows of seven days on the grid of the service. */
const range = { from: '2026-01-14', to: '2026-01-27' };

function backfill({ environment }: Installation, options: Partial<InProcessBackfill> = {}) {
  return backfillInProcess({ ...range, environment, ...options });
}

async function expectPayloads(installation: Installation): Promise<void> {
  const expected = expectedWarehouse(organization, installation.payloads(range.from, range.to));
  expect(await storedWarehouse(installation.database.pool)).toEqual(expected);
}

const endpointOf = ({ path }: SimulatedRequest) => path.split('/').at(-1) ?? '';

function spanOf({ days: asked }: SimulatedRequest): number {
  return asked === undefined ? 0 : (Date.parse(asked.to) - Date.parse(asked.from)) / 86_400_000 + 1;
}

describe('a window that the platform refuses', () => {
  test.each([400, 413])('with %i is asked in halves, and the next run does not ask wider', async (status) => {
    const fault = (request: SimulatedRequest): Fault | undefined =>
      spanOf(request) > 3 ? { kind: 'status', status } : undefined;
    await using installation = await install({ fault });
    const first = await backfill(installation);
    expect(first).toMatchObject({ stoppedBy: undefined, summary: { status: 'succeeded' } });
    await expectPayloads(installation);
    const refused = installation.simulator.requests.filter((request) => request.status === status).length;
    const before = installation.simulator.requests.length;
    await backfill(installation, { force: true });
    const later = installation.simulator.requests.slice(before);
    expect(Math.max(...later.map(spanOf))).toBe(2);
    expect(later.every((request) => request.status === 200)).toBe(true);
    console.log(`${refused} windows refused with ${status}, ${before} requests, none wider later`);
  });

  test('by answering for fewer days, and saying so, is asked in halves, and the next run does not ask wider', async () => {
    const clamped = (request: SimulatedRequest): Fault | undefined =>
      spanOf(request) > 3
        ? {
            kind: 'mutate',
            mutate: (envelope) => {
              const { data, meta } = fieldsOf(envelope);
              const days = fieldsOf(meta);
              const last = addDays(day(String(days.start_date)), 2);
              const kept = itemsOf(data).filter((row) => String(fieldsOf(row).date) <= last);
              return { data: kept, meta: { ...days, end_date: last } };
            },
          }
        : undefined;
    await using installation = await install({ fault: clamped });
    const first = await backfill(installation);
    expect(first).toMatchObject({
      stoppedBy: undefined,
      summary: { status: 'succeeded', slices: { failed: 0 } },
    });
    await expectPayloads(installation);
    const before = installation.simulator.requests.length;
    await backfill(installation, { force: true });
    expect(Math.max(...installation.simulator.requests.slice(before).map(spanOf))).toBe(2);
  });

  test('because its answer is above MAX_RESPONSE_BYTES is asked in halves', async () => {
    await using installation = await install({ users: 60 });
    const sizes = installation.payloads(range.from, range.to).map(({ rows }) => JSON.stringify(rows).length);
    const report = await backfill(installation, { config: { maxResponseBytes: Math.max(...sizes) + 500 } });
    expect(report).toMatchObject({ stoppedBy: undefined, summary: { status: 'succeeded' } });
    await expectPayloads(installation);
    const spans = installation.simulator.requests
      .filter((request) => endpointOf(request) === 'tokens')
      .map(spanOf);
    expect(Math.max(...spans)).toBe(7);
    expect(Math.min(...spans)).toBeLessThan(4);
  });
});

const refusing: Fault = { kind: 'status', status: 500 };
const hanging: Fault = { kind: 'hang' };
/** Each request that hangs costs its whole time: a few days of them do. */
const [whole, short] = [
  { to: range.to, days: 14, windows: 2 },
  { to: '2026-01-16', days: 3, windows: 1 },
];

describe('an endpoint that is down for good', () => {
  test.concurrent.each<[string, string, Fault]>([
    ...endpoints.map((endpoint): [string, string, Fault] => [endpoint, 'refuses', refusing]),
    ['tokens', 'hangs', hanging],
    ['activity', 'hangs', hanging],
    ['users', 'hangs', hanging],
  ])('neither fails nor holds up the others: /%s %s', async (down, _how, fault) => {
    await using installation = await install({
      fault: (request) => (endpointOf(request) === down ? fault : undefined),
    });
    const { simulator, database } = installation;
    const { to, days, windows } = fault === hanging ? short : whole;
    // What hangs is given up soon, but not so soon that a busy machine could not answer for the others.
    const report = await backfill(installation, {
      to,
      config: { maxRetries: 1, requestTimeoutMs: fault === hanging ? 1_000 : 30_000 },
    });
    expect(report.summary).toMatchObject({ status: 'partial', slices: { planned: 5 * days, failed: days } });
    const { rows } = await database.pool.query<Record<string, unknown>>(
      "select endpoint, count(*)::integer as slices from etl.slice where status = 'failed' group by endpoint",
    );
    expect(rows).toEqual([{ endpoint: down, slices: days }]);

    const order = simulator.requests.map(endpointOf);
    const toOthers = order.filter((endpoint) => endpoint !== down).length;
    const lastToOthers = order.findLastIndex((endpoint) => endpoint !== down);
    const downBefore = lastToOthers + 1 - toOthers;
    const downInAll = order.length - toOthers;
    console.log(
      `/${down} ${fault.kind}: ${downBefore} of ${downInAll} requests to it before the last of ${toOthers} others`,
    );
    // Each window and day of the others is asked for once, beside the question for the organization.
    const reads = down === 'users' ? 4 * windows : 3 * windows + days;
    expect(toOthers).toBeLessThanOrEqual(reads + 1);
    // After a few failures it is asked once for each of its days, no more.
    expect(downInAll).toBeLessThanOrEqual(fault === refusing ? 2 * days : 4 * days);
    // Requests that hang are still going on when the others have long been sent.
    if (fault === hanging) expect(downBefore).toBeLessThan(downInAll);
  });
});
