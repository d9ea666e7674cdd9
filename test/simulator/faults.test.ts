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
  test.each([401, 403, 413, 429, 500, 502, 503])('status %i has a problem body', async (status) => {
    await using platform = await requestWith({ kind: 'status', status });
    const response = await platform.first;
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ status, requestId: 'req_00000001' });
    expect((await platform.get(target)).status).toBe(200);
    expect(platform.simulator.requests.map((request) => request.status)).toEqual([status, 200]);
  });

  test('headers, body and content type of a status can be given', async () => {
    const headers = { 'retry-after': '3' };
    await using platform = await requestWith({
      kind: 'status',
      status: 429,
      headers,
      body: 'slow down',
      contentType: 'text/plain',
    });
    const response = await platform.first;
    expect(response.headers.get('retry-after')).toBe('3');
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(await response.text()).toBe('slow down');
  });

  test('a redirect names its location', async () => {
    const headers = { location: 'http://127.0.0.1:1/elsewhere' };
    await using platform = await requestWith({ kind: 'status', status: 302, headers });
    const response = await platform.first;
    expect([response.status, response.headers.get('location')]).toEqual([302, headers.location]);
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

  test('html: a page comes instead of JSON', async () => {
    await using platform = await requestWith({ kind: 'html' });
    const response = await platform.first;
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(await response.text()).toMatch(/^<!doctype html>/);
  });

  test('wrong-type: the right body has the wrong content type', async () => {
    await using platform = await requestWith({ kind: 'wrong-type' });
    const response = await platform.first;
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toBe(await (await platform.get(target)).text());
  });

  test('garbage: the body arrives whole and is no JSON', async () => {
    await using platform = await requestWith({ kind: 'garbage' });
    const response = await platform.first;
    expect(response.headers.get('content-type')).toBe('application/json');
    const text = await response.text();
    expect(text).toHaveLength(Number(response.headers.get('content-length')));
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  test('mutate: the envelope is changed, the next answer is not', async () => {
    const mutate = (envelope: unknown) => ({ wrapped: envelope });
    await using platform = await requestWith({ kind: 'mutate', mutate });
    const changed = await (await platform.first).json();
    const right = await (await platform.get(target)).json();
    expect(right).toHaveProperty('meta');
    expect(changed).toEqual({ wrapped: right });
  });

  test('rewrite: the bytes of the body are changed, the next answer is not', async () => {
    const rewrite = (body: Buffer) => Buffer.from(body.toString().replace('{', '<'));
    await using platform = await requestWith({ kind: 'rewrite', rewrite });
    const changed = await (await platform.first).text();
    const right = await (await platform.get(target)).text();
    expect(changed).toBe(`<${right.slice(1)}`);
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
