import { once } from 'node:events';
import { expect, test } from 'vitest';
import { deliver, deliveryTimes } from '../../src/extract/deliver.ts';
import { type AnswerRequest, startAnsweringServer } from '../support/answering-server.ts';

const message = { event: 'night_failed' };
const { signal } = new AbortController();

/** Delivers to a server that answers so. Returns why it could not, and how often it was tried. */
async function delivered(answer: AnswerRequest, times = deliveryTimes(5_000), until = signal) {
  const server = await startAnsweringServer(answer);
  try {
    const address = { variable: 'NOTIFY_WEBHOOK_URL', url: server.url };
    const problem = await deliver(address, message, until, times);
    return { problem, attempts: server.arrivals.length };
  } finally {
    await server.close();
  }
}

test('whoever has been told to end sends no message any more', async () => {
  const ended = await delivered((response) => response.end(), undefined, AbortSignal.abort());
  expect(ended).toEqual({ problem: 'it was given up', attempts: 0 });
});

test.each<[string, AnswerRequest]>([
  ['never answers', () => undefined],
  ['never ends its answer', (response) => void response.write('{')],
  [
    'answers a byte at a time',
    (response) => {
      const trickle = setInterval(() => response.write('.'), 1);
      void once(response, 'close').then(() => clearInterval(trickle));
    },
  ],
])('whoever %s gets no more time than there is for all attempts', async (_, answer) => {
  const times = { attemptMs: 200, betweenAttemptsMs: 1 };
  const patient = { ...times, deadline: performance.now() + 5_000 };
  expect(await delivered(answer, patient)).toEqual({
    problem: 'no complete answer within 200 ms',
    attempts: 3,
  });
  const hurried = { ...times, attemptMs: 60_000, deadline: performance.now() + 500 };
  const { problem, attempts } = await delivered(answer, hurried);
  expect(problem).toMatch(/^no complete answer within \d{1,3} ms$/);
  expect(attempts).toBe(1);
});

test('nothing is sent after the deadline', async () => {
  const late = { ...deliveryTimes(0), deadline: performance.now() };
  expect(await delivered((response) => response.end(), late)).toEqual({
    problem: 'no time was left',
    attempts: 0,
  });
});

test('whoever asks to come back later is asked again at once, and a redirect is not followed', async () => {
  const times = { ...deliveryTimes(5_000), betweenAttemptsMs: 1 };
  for (const [status, headers] of [
    [503, { 'retry-after': '3600' }],
    [307, { location: '/elsewhere' }],
  ] as const)
    expect(await delivered((response) => void response.writeHead(status, headers).end(), times)).toEqual({
      problem: `it answered ${status}`,
      attempts: 3,
    });
});
