import { expect, test } from 'vitest';
import { emptyDataset } from '../../src/simulator/dataset.ts';
import type { SimulatedRequest } from '../../src/simulator/server.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { type Installation, install } from '../support/installation.ts';
import { backfillInProcess } from './in-process-backfill.ts';

const range = { from: '2026-01-14', to: '2026-02-10' };
const maxConcurrency = 4;

test('429 pauses all requests for as long as it asks, and then the client ramps up from one', async () => {
  const pauseMs = 1_500;
  const throttled = 12;
  const inFlightAtArrival: number[] = [];
  let installation: Installation | undefined;
  const fault = ({ number }: SimulatedRequest) => {
    inFlightAtArrival.push(installation?.simulator.counts.inFlight ?? 0);
    const headers = { 'retry-after': String(pauseMs / 1000) };
    return number === throttled ? ({ kind: 'status', status: 429, headers } as const) : undefined;
  };
  await using installed = await install({ fault, latencyMs: 60 });
  installation = installed;
  const report = await backfillInProcess({
    ...range,
    environment: installed.environment,
    config: { maxRetries: 1, maxConcurrency },
  });
  expect(report.summary).toMatchObject({ status: 'succeeded', requests: { retried: 1 } });

  const { requests, counts } = installed.simulator;
  const throttledAt = requests[throttled - 1]?.at ?? Number.NaN;
  const during = requests.filter(({ at, number }) => number > throttled && at < throttledAt + pauseMs);
  // Those that had left already when the answer came.
  expect(during.length).toBeLessThan(maxConcurrency);
  const afterPause = inFlightAtArrival.slice(throttled + during.length);
  expect(afterPause[0]).toBe(1);
  expect(Math.max(...afterPause.slice(1, 3))).toBeLessThanOrEqual(2);
  expect(Math.max(...afterPause)).toBe(maxConcurrency);
  expect(counts.maxInFlight).toBeLessThanOrEqual(maxConcurrency);
  console.log(
    `429: ${during.length} requests in flight, none during ${pauseMs} ms, ${afterPause.length} after`,
  );
});

test('a redirect to another origin fails its slices, and the credential never gets there', async () => {
  const elsewhere = await startSimulator({ dataset: emptyDataset, organizationId: 'other', apiKeys: {} });
  try {
    await using installation = await install({
      fault: ({ path, query }) =>
        path.endsWith('/tools')
          ? {
              kind: 'status',
              status: 307,
              headers: { location: `${elsewhere.url}${path}?${new URLSearchParams(query)}` },
            }
          : undefined,
    });
    const { environment } = installation;
    const report = await backfillInProcess({ ...range, environment, config: { maxRetries: 3 } });
    expect(report.summary).toMatchObject({
      status: 'partial',
      slices: { failed: 28 },
      requests: { retried: 0 },
    });
    expect(report.failures[0]?.reason).toContain('redirected to another host');
    expect(elsewhere.requests).toEqual([]);
  } finally {
    await elsewhere.close();
  }
});
