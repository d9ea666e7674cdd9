import { describe, expect, it } from 'vitest';
import { explain, RequestFailedError } from '../../src/model/errors.ts';
import type { RunEvent } from '../../src/model/run.ts';
import { type AnswerRequest, sendJson } from '../support/answering-server.ts';
import { anyJson } from '../support/platform-access.ts';
import { open, outcome, serve } from '../support/served-clients.ts';
import { quickTiming } from '../support/timing.ts';

describe('a retry', () => {
  it.each([undefined, '0', 'Thu, 01 Jan 2026 00:00:00 GMT', 'soon', '-3', 'NaN', '', '1e9'])(
    'waits 2, 4, 8, 16, 32 and 60 seconds, a quarter more or less, where Retry-After is %j',
    async (retryAfter) => {
      const waits: number[] = [];
      const server = await serve((response) => {
        if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
        sendJson(response, {}, 503);
      });
      const onEvent = (event: RunEvent) => event.type === 'retry' && waits.push(event.waitMs * 1_000);
      await outcome(open(server, { maxRetries: 6, timing: quickTiming, onEvent }));
      const floors = [2_000, 4_000, 8_000, 16_000, 32_000, 60_000];
      expect(waits).toHaveLength(floors.length);
      for (const [index, floor] of floors.entries()) {
        expect(waits[index]).toBeGreaterThanOrEqual(0.75 * floor);
        expect(waits[index]).toBeLessThanOrEqual(1.25 * floor);
      }
    },
  );

  const passing: [string, AnswerRequest][] = [
    ['the connection is reset', (_, __, request) => void request.socket.resetAndDestroy()],
    [
      'the answer ends early',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{"a":', () => response.destroy());
      },
    ],
    [
      'the body is not JSON',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"a":');
      },
    ],
    [
      'a page of HTML comes',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end('<p>Sign in');
      },
    ],
    [
      'no content type is named',
      (response) => {
        response.writeHead(200);
        response.end('{}');
      },
    ],
    ...[408, 429, 500, 502, 503, 504].map((status): [string, AnswerRequest] => [
      `the status is ${status}`,
      (response) => sendJson(response, {}, status),
    ]),
  ];

  it.each(passing)('follows when %s', async (_, fail) => {
    const server = await serve((response, number, request) =>
      number === 1 ? fail(response, number, request) : sendJson(response, { ok: true }),
    );
    const retries: RunEvent[] = [];
    const client = open(server, { onEvent: (event) => void (event.type === 'retry' && retries.push(event)) });
    expect(await outcome(client)).toEqual({ ok: true });
    expect(client.counts).toEqual({ sent: 2, retried: 1 });
    expect(retries).toMatchObject([{ type: 'retry', path: '/a', retry: 1 }]);
  });

  it.each([400, 404, 405, 413, 422])('does not follow on status %i', async (status) => {
    const server = await serve((response) => sendJson(response, { detail: 'no' }, status));
    const error = await outcome(open(server));
    expect(error).toBeInstanceOf(RequestFailedError);
    expect(error).toMatchObject({ status, message: 'GET /a failed after 1 attempt' });
    expect(server.arrivals).toHaveLength(1);
  });

  it('ends after MAX_RETRIES, with what the platform said last', async () => {
    const server = await serve((response, number) =>
      sendJson(response, { detail: `failure ${number}`, requestId: 'req_7' }, 503),
    );
    const error = await outcome(open(server, { maxRetries: 3 }));
    expect(explain(error)).toBe(
      'GET /a failed after 4 attempts: the platform answered 503 (failure 4, request id req_7)',
    );
  });

  it('is spared where the caller has less patience', async () => {
    const server = await serve((response) => sendJson(response, {}, 504));
    const client = open(server, { maxRetries: 5 });
    await expect(client.get('/a', {}, anyJson, { maxRetries: 0 })).rejects.toThrow('after 1 attempt');
    await expect(client.get('/a', {}, anyJson, { maxRetriesIfTooLarge: 1 })).rejects.toThrow(
      'after 2 attempts',
    );
    expect(server.arrivals).toHaveLength(3);
  });

  it('says whether a smaller request may succeed', async () => {
    const statuses = [400, 413, 422, 408, 504, 404, 500];
    const server = await serve((response, number) => sendJson(response, {}, statuses[number - 1]));
    const client = open(server, { maxRetries: 0 });
    const smaller: unknown[] = [];
    for (const _ of statuses) smaller.push(await outcome(client));
    expect(smaller).toMatchObject(
      [true, true, true, true, true, false, false].map((smallerMayWork) => ({ smallerMayWork })),
    );
  });

  it('follows when an attempt takes longer than REQUEST_TIMEOUT_MS, also in the middle of the body', async () => {
    const server = await serve((response, number) => {
      if (number === 1) return;
      if (number === 3) return sendJson(response, { ok: true });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    });
    expect(await outcome(open(server, { requestTimeoutMs: 2_000 }))).toEqual({ ok: true });
    expect(server.arrivals).toHaveLength(3);
  });
});

describe('Retry-After', () => {
  async function secondAfter(retryAfter: string, status = 503): Promise<number> {
    const server = await serve((response, number) =>
      number === 1 ? sendJson(response, {}, status, { 'retry-after': retryAfter }) : sendJson(response, {}),
    );
    await open(server).get('/a', {}, anyJson);
    return Number(server.arrivals[1]?.at) - Number(server.arrivals[0]?.at);
  }

  it('is waited for when it names seconds', async () => {
    expect(await secondAfter('1')).toBeGreaterThanOrEqual(995);
  });

  it('is waited for when it names a date', async () => {
    // A date has whole seconds: two ahead are more than one.
    expect(await secondAfter(new Date(Date.now() + 2000).toUTCString())).toBeGreaterThanOrEqual(950);
  });

  it('of more than an hour is not waited for', async () => {
    const server = await serve((response) => sendJson(response, {}, 503, { 'retry-after': '3601' }));
    const error = await outcome(open(server));
    expect(error).toBeInstanceOf(RequestFailedError);
    expect(explain(error)).toContain('GET /a failed after 1 attempt; it asks to wait (Retry-After: 3601)');
  });
});
