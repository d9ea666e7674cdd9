import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import { between, startPlatform } from './platform.ts';

const target = `activity?${between('2026-03-04', '2026-03-04')}`;

/** Requests once with the fault, and once more without it. */
async function requestWith(fault: Fault) {
  const platform = await startPlatform({ fault: ({ number }) => (number === 1 ? fault : undefined) });
  return { ...platform, first: platform.get(target, { redirect: 'manual' }) };
}

describe('a fault as a client sees it', () => {
  test.each([401, 503])('status %i has a problem body', async (status) => {
    await using platform = await requestWith({ kind: 'status', status });
    const response = await platform.first;
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ status, requestId: 'req_00000001' });
    expect((await platform.get(target)).status).toBe(200);
    expect(platform.simulator.requests.map((request) => request.status)).toEqual([status, 200]);
  });

  test('headers, body and content type of a status can be given', async () => {
    const headers = { 'retry-after': '3', location: 'http://127.0.0.1:1/elsewhere' };
    const said = { headers, body: 'slow down', contentType: 'text/plain' };
    await using platform = await requestWith({ kind: 'status', status: 429, ...said });
    const response = await platform.first;
    expect(Object.fromEntries(response.headers)).toMatchObject({ ...headers, 'content-type': 'text/plain' });
    expect(await response.text()).toBe('slow down');
  });

  test('reset: the connection breaks before an answer', async () => {
    await using platform = await requestWith({ kind: 'reset' });
    await expect(platform.first).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(platform.simulator.requests[0]?.status).toBeUndefined();
    expect((await platform.get(target)).status).toBe(200);
  });

  test('hang: there is no answer until the simulator closes', async () => {
    const platform = await requestWith({ kind: 'hang' });
    // The second request is answered while the first is not.
    expect((await platform.get(target)).status).toBe(200);
    expect(platform.simulator.counts.inFlight).toBe(1);
    const broken = expect(platform.first).rejects.toThrow('fetch failed');
    await platform.simulator.close();
    await broken;
  });

  test('truncate: the body ends before its announced length', async () => {
    await using platform = await requestWith({ kind: 'truncate' });
    const response = await platform.first;
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(100);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  const changes: [Fault, type: string, bodyOf: (right: string) => unknown][] = [
    [{ kind: 'html' }, 'text/html; charset=utf-8', () => expect.stringMatching(/^<!doctype html>/)],
    [{ kind: 'wrong-type' }, 'text/plain; charset=utf-8', (right) => right],
    [
      { kind: 'mutate', mutate: (envelope) => ({ wrapped: envelope }) },
      'application/json',
      (right) => `{"wrapped":${right}}`,
    ],
    [
      { kind: 'rewrite', rewrite: (body) => Buffer.from(body.toString().replace('{', '<')) },
      'application/json',
      (right) => `<${right.slice(1)}`,
    ],
  ];

  test.each(changes)('$kind: one answer is another, the next is not', async (fault, type, bodyOf) => {
    await using platform = await requestWith(fault);
    const response = await platform.first;
    const changed = await response.text();
    const right = await (await platform.get(target)).text();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect(JSON.parse(right)).toHaveProperty('meta');
    expect(changed).toEqual(bodyOf(right));
  });

  test('garbage: the body arrives whole and is no JSON', async () => {
    await using platform = await requestWith({ kind: 'garbage' });
    const response = await platform.first;
    expect(response.headers.get('content-type')).toBe('application/json');
    const text = await response.text();
    expect(text).toHaveLength(Number(response.headers.get('content-length')));
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  test('delay: the right answer comes late', async () => {
    await using platform = await requestWith({ kind: 'delay', ms: 80 });
    const started = performance.now();
    expect((await platform.first).status).toBe(200);
    // Timers may fire a millisecond early.
    expect(performance.now() - started).toBeGreaterThan(78);
  });
});

test('latency delays every answer, and requests at the same time wait together', async () => {
  await using platform = await startPlatform({ latencyMs: 60 });
  const started = performance.now();
  await Promise.all(Array.from({ length: 4 }, () => platform.get(target)));
  expect(performance.now() - started).toBeGreaterThan(58);
  expect(platform.simulator.counts.maxInFlight).toBe(4);
});

test('closing does not wait for idle or delayed connections', async () => {
  const platform = await startPlatform({ fault: () => ({ kind: 'delay', ms: 60_000 }) });
  const broken = expect(platform.get(target)).rejects.toThrow('fetch failed');
  await expect.poll(() => platform.simulator.counts.inFlight).toBe(1);
  await platform.simulator.close();
  await broken;
});
