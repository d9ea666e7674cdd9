import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { PlatformClient } from '../../src/extract/platform-client.ts';
import {
  type AnsweringServer,
  type AnswerRequest,
  sendJson,
  startAnsweringServer,
} from '../support/answering-server.ts';
import { type Departures, mostWithin, watchDepartures } from '../support/departures.ts';
import { anyJson, openClient } from '../support/platform-access.ts';

let server: AnsweringServer;
let client: PlatformClient;
let departures: Departures;

async function start(answer: AnswerRequest, changes: Parameters<typeof openClient>[1]): Promise<void> {
  server = await startAnsweringServer(answer);
  client = openClient(server.url, changes);
  departures = watchDepartures();
}

afterEach(async () => {
  departures.stop();
  await client.close();
  await server.close();
});

/**
 * A second, less what the machine may take from the decision that a request leaves until it is noted. What is faster
 * over a longer time shows in the time that all of them take.
 */
const almostASecondMs = 750;

/** Milliseconds from the first departure to the last. */
const spanOfDepartures = () => (departures.times.at(-1) ?? 0) - (departures.times[0] ?? 0);

describe('the rate budget', () => {
  it.each([
    { requestsPerSecond: 10, requests: 32 },
    { requestsPerSecond: 2.5, requests: 6 },
  ])(
    'lets no more than $requestsPerSecond requests leave in any second',
    async ({ requestsPerSecond, requests }) => {
      // Answers of different duration, so that starts do not fall into step.
      await start((response, number) => void setTimeout(() => sendJson(response, {}), (number * 37) % 90), {
        requestsPerSecond,
        maxConcurrency: 8,
      });
      // As in a run, where the first answer says what else to ask; it waits for code and connection to be there.
      await client.get('/first', {}, anyJson);
      const startedAt = performance.now();
      await Promise.all(Array.from({ length: requests }, () => client.get('/a', {}, anyJson)));
      expect(departures.times).toHaveLength(requests + 1);
      expect(mostWithin(departures, almostASecondMs)).toBeLessThanOrEqual(Math.ceil(requestsPerSecond));
      expect(spanOfDepartures()).toBeGreaterThan((requests / requestsPerSecond) * 1000);
      // The budget is used, too; on a machine that is busy with other things less well.
      expect(performance.now() - startedAt).toBeLessThan(((requests / requestsPerSecond) * 3 + 5) * 1000);
    },
  );

  it('spreads requests over the second, so that a late burst and the next one cannot meet', async () => {
    await start((response) => sendJson(response, {}), { requestsPerSecond: 10, maxConcurrency: 8 });
    await client.get('/first', {}, anyJson);
    await Promise.all(Array.from({ length: 9 }, () => client.get('/a', {}, anyJson)));
    expect(mostWithin(departures, 250)).toBeLessThanOrEqual(4);
    expect(spanOfDepartures()).toBeGreaterThan(900);
  });

  it('counts retries like any other request', async () => {
    await start((response) => sendJson(response, {}, 500), { requestsPerSecond: 5, maxRetries: 3 });
    await Promise.allSettled([
      client.get('/a', {}, anyJson),
      client.get('/b', {}, anyJson),
      client.get('/c', {}, anyJson),
    ]);
    expect(server.arrivals).toHaveLength(12);
    expect(mostWithin(departures, almostASecondMs)).toBeLessThanOrEqual(5);
    expect(spanOfDepartures()).toBeGreaterThan(((12 - 1) / 5) * 1000);
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
        }, 100);
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
        }, 150);
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
    const startedAt = performance.now();
    const results = await Promise.allSettled(['/a', '/b', '/c'].map((path) => client.get(path, {}, anyJson)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(client.get('/later', {}, anyJson)).rejects.toThrow(/Retry-After: 7200/);
    expect(performance.now() - startedAt).toBeLessThan(2000);
    expect(server.arrivals).toHaveLength(1);
    expect(client.counts.sent).toBe(1);
  });

  it('gives up waiting when the run ends', async () => {
    const abort = new AbortController();
    await start((response) => sendJson(response, {}, 429, { 'retry-after': '30' }), { signal: abort.signal });
    const waiting = Promise.allSettled(['/a', '/b', '/c'].map((path) => client.get(path, {}, anyJson)));
    await expect.poll(() => server.arrivals.length).toBe(3);
    const startedAt = performance.now();
    abort.abort(new Error('the run ends'));
    const results = await Promise.race([waiting, delay(3_000, 'still waiting', { ref: false })]);
    expect(results).toMatchObject([
      { reason: { message: 'the run ends' } },
      { reason: { message: 'the run ends' } },
      { reason: { message: 'the run ends' } },
    ]);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
