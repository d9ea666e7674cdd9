import { describe, expect, it, vi } from 'vitest';
import type { PlatformClient } from '../../src/extract/platform-client.ts';
import { createRateBudget, type RateLimits } from '../../src/extract/rate-budget.ts';
import { type AnsweringServer, type AnswerRequest, sendJson } from '../support/answering-server.ts';
import { anyJson } from '../support/platform-access.ts';
import { open, serve } from '../support/served-clients.ts';

let server: AnsweringServer;
let client: PlatformClient;

async function start(answer: AnswerRequest, changes: Parameters<typeof open>[1]): Promise<void> {
  server = await serve(answer);
  client = open(server, changes);
}

/** When requests of 40 ms or so leave, on a clock that stands still while this machine is busy; in milliseconds. */
async function departures(limits: RateLimits, requests: number): Promise<number[]> {
  vi.useFakeTimers();
  try {
    const budget = createRateBudget(limits);
    const left: number[] = [];
    const { signal } = new AbortController();
    const all = Array.from({ length: requests }, (_, number) =>
      budget.run(async () => {
        left.push(Date.now());
        // Answers of different duration, so that starts do not fall into step.
        await new Promise((resolve) => setTimeout(resolve, (number * 37) % 90));
      }, signal),
    );
    await vi.runAllTimersAsync();
    await Promise.all(all);
    return left;
  } finally {
    vi.useRealTimers();
  }
}

/** The most of these moments within any span of `ms`. */
function mostWithin(ms: number, times: readonly number[]): number {
  return Math.max(...times.map((end) => times.filter((at) => at <= end && at > end - ms).length));
}

describe('the rate budget', () => {
  it.each([
    { requestsPerSecond: 10, requests: 32 },
    { requestsPerSecond: 2.5, requests: 6 },
    { requestsPerSecond: 200, requests: 900 },
  ])(
    'lets no more than $requestsPerSecond requests leave in any second, and not many fewer',
    async ({ requestsPerSecond, requests }) => {
      const left = await departures({ requestsPerSecond, maxConcurrency: 30 }, requests);
      expect(mostWithin(1000, left)).toBeLessThanOrEqual(Math.ceil(requestsPerSecond));
      const seconds = ((left.at(-1) ?? 0) - (left[0] ?? 0)) / 1000;
      expect(seconds).toBeLessThan((requests / requestsPerSecond) * 1.1);
    },
  );

  it('spreads requests over the second, so that a late burst and the next one cannot meet', async () => {
    const left = await departures({ requestsPerSecond: 10, maxConcurrency: 8 }, 10);
    expect(mostWithin(250, left)).toBeLessThanOrEqual(4);
  });

  it('counts retries like any other request, and lets them wait like any other', async () => {
    await start((response) => sendJson(response, {}, 500), { requestsPerSecond: 5, maxRetries: 3 });
    await Promise.allSettled([
      client.get('/a', {}, anyJson),
      client.get('/b', {}, anyJson),
      client.get('/c', {}, anyJson),
    ]);
    expect(server.arrivals).toHaveLength(12);
    // A late arrival makes the whole longer, never shorter.
    const times = server.arrivals.map(({ at }) => at);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(1_900);
    expect(client.counts).toEqual({ sent: 12, retried: 9 });
  });

  it('has at most MAX_CONCURRENCY requests under way', async () => {
    let [underWay, most] = [0, 0];
    await start(
      (response) => {
        underWay += 1;
        most = Math.max(most, underWay);
        setTimeout(() => {
          underWay -= 1;
          sendJson(response, {});
        }, 20);
      },
      { maxConcurrency: 3 },
    );
    await Promise.all(Array.from({ length: 20 }, () => client.get('/a', {}, anyJson)));
    expect(most).toBe(3);
  });

  it('stands still for all requests of the client after a 429', async () => {
    await start(
      (response, number) =>
        number === 1 ? sendJson(response, {}, 429, { 'retry-after': '0.6' }) : sendJson(response, {}),
      { maxConcurrency: 1 },
    );
    await Promise.all(['/a', '/b', '/c', '/d'].map((path) => client.get(path, {}, anyJson)));
    const [first, second] = server.arrivals;
    expect(Number(second?.at) - Number(first?.at)).toBeGreaterThanOrEqual(595);
    expect(server.arrivals).toHaveLength(5);
  });

  it('starts with one request after a pause, and opens up again with success', async () => {
    let [underWay, afterPause] = [0, 0];
    const seen: number[] = [];
    await start(
      (response, number) => {
        if (number <= 4) return sendJson(response, {}, 429, { 'retry-after': '0.2' });
        underWay += 1;
        afterPause += 1;
        seen.push(underWay);
        setTimeout(() => {
          underWay -= 1;
          sendJson(response, {});
        }, 30);
      },
      { maxConcurrency: 4 },
    );
    await Promise.all(Array.from({ length: 16 }, () => client.get('/a', {}, anyJson)));
    expect(afterPause).toBe(16);
    expect(seen.slice(0, 2)).toEqual([1, 1]);
    expect(Math.max(...seen)).toBe(4);
  });

  it('fails everything at once when the platform asks to wait longer than an hour', async () => {
    await start((response) => sendJson(response, {}, 429, { 'retry-after': '7200' }), { maxConcurrency: 1 });
    const results = await Promise.allSettled(['/a', '/b', '/c'].map((path) => client.get(path, {}, anyJson)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(client.get('/later', {}, anyJson)).rejects.toThrow(
      /^GET \/later was not sent: the platform answered another request .*\(Retry-After: 7200\)/,
    );
    expect(server.arrivals).toHaveLength(1);
    expect(client.counts.sent).toBe(1);
  });

  it('gives up waiting when the run ends', async () => {
    const abort = new AbortController();
    await start((response) => sendJson(response, {}, 429, { 'retry-after': '3600' }), {
      signal: abort.signal,
    });
    const waiting = Promise.allSettled(['/a', '/b', '/c'].map((path) => client.get(path, {}, anyJson)));
    await expect.poll(() => server.arrivals.length).toBe(3);
    abort.abort(new Error('the run ends'));
    // Who waits on does so for an hour.
    expect(await waiting).toMatchObject([
      { reason: { message: 'the run ends' } },
      { reason: { message: 'the run ends' } },
      { reason: { message: 'the run ends' } },
    ]);
  });
});
