/** Following a computer, as platforms tell of it that do as they please. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { followStatus, type Wait } from '../../src/extract/computer-status.ts';
import { computersClient } from '../../src/extract/computers-client.ts';
import type { PlatformClient } from '../../src/extract/platform-client.ts';
import { CredentialsRefusedError } from '../../src/model/errors.ts';
import {
  type AnsweringServer,
  type AnswerRequest,
  sendJson,
  startAnsweringServer,
} from '../support/answering-server.ts';
import { openClient } from '../support/platform-access.ts';

let server: AnsweringServer;
let connection: PlatformClient;
let abort: AbortController;
let heard: unknown[];

beforeEach(() => {
  abort = new AbortController();
  heard = [];
});

afterEach(async () => {
  abort.abort();
  await connection.close();
  await server.close();
});

const computer = (status?: string, more: object = {}) => ({ id: 'c', name: 'web', status, ...more });

/** Follows a computer of a platform that answers so. */
async function follow(answer: AnswerRequest, changes: Partial<Wait> = {}) {
  server = await startAnsweringServer(answer);
  connection = openClient(server.url, { maxRetries: 0, signal: abort.signal });
  return followStatus(computersClient(connection), {
    computer: computer('provisioning'),
    timeoutMs: 600_000,
    signal: abort.signal,
    intervalMs: 1,
    onStatus: ({ status }) => heard.push(status),
    ...changes,
  });
}

/** Answers with one status after the other, the last for ever. */
const telling =
  (...statuses: (string | undefined)[]): AnswerRequest =>
  (response, number) =>
    sendJson(response, computer(statuses[Math.min(number, statuses.length) - 1]));

describe('a computer is followed', () => {
  test.each(['active', 'error'])('until it is %s', async (last) => {
    const waited = await follow(telling('provisioning', 'warming up', undefined, last));
    expect(waited).toEqual({ computer: computer(last) });
    expect(heard).toEqual(['warming up', undefined, last]);
    expect(server.arrivals).toHaveLength(4);
  });

  test.each(['active', 'error'])('not at all when it is %s', async (status) => {
    expect(await follow(telling('x'), { computer: computer(status) })).toEqual({
      computer: computer(status),
    });
    expect(server.arrivals).toEqual([]);
  });

  test('past answers that fail', async () => {
    const waited = await follow((response, number) => {
      if (number === 1) response.socket?.resetAndDestroy();
      else if (number === 2) sendJson(response, { not: 'a computer' });
      else sendJson(response, computer('active'), number === 3 ? 503 : 200);
    });
    expect(waited).toEqual({ computer: computer('active') });
  });

  test('until it is gone', async () => {
    const waited = await follow((response) => sendJson(response, {}, 404));
    expect(waited).toEqual({
      computer: computer('provisioning'),
      problem: 'it no longer exists on the platform',
    });
  });

  test('until the credential is refused', async () => {
    const waited = follow((response) => sendJson(response, {}, 401));
    await expect(waited).rejects.toBeInstanceOf(CredentialsRefusedError);
  });

  test.each([
    ['while it is provisioned', telling('provisioning'), 'but provisioning'],
    ['while it says nothing', telling(undefined), 'but without a status'],
    ['while nothing comes', () => undefined, 'but provisioning'],
    [
      'while questions fail',
      (response) => sendJson(response, {}, 500),
      'but provisioning; the last request failed: GET /api/v0/computers/c failed',
    ],
  ] satisfies [string, AnswerRequest, string][])('until the time is over: %s', async (_, answer, said) => {
    const { problem } = await follow(answer, { timeoutMs: 700 });
    expect(problem).toContain(`it was neither active nor in error after 0.7 s, ${said}`);
  });

  test('until somebody ends it', async () => {
    const waited = follow((response) => {
      abort.abort(new Error('enough'));
      sendJson(response, computer('provisioning'));
    });
    await expect(waited).rejects.toThrow('enough');
  });
});

describe('a computer on which something was begun', () => {
  const steps = (startedAt: number) => ({ provisioningSteps: [{ id: 's', startedAt }] });
  const before = computer('error', steps(1));

  test('is not believed while it says the same as before', async () => {
    const told = [before, before, computer('provisioning', steps(2)), computer('error', steps(2))];
    const waited = await follow((response, number) => sendJson(response, told[number - 1]), {
      computer: before,
      before,
      graceMs: 600_000,
    });
    expect(waited).toEqual({ computer: told[3] });
  });

  test('is believed in the end, when it goes on saying so', async () => {
    const waited = await follow((response) => sendJson(response, before), {
      computer: before,
      before,
      graceMs: 50,
    });
    expect(waited).toEqual({ computer: before });
    expect(server.arrivals.length).toBeGreaterThan(0);
  });
});
