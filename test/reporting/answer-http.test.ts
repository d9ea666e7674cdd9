/** Whom health and metrics are told: a browser that a foreign page sends here names the host of that page. */
import { request } from 'node:http';
import { hostname } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { type AnsweringHttp, answerHttp, jsonAnswer } from '../../src/reporting/answer-http.ts';

let server: AnsweringHttp | undefined;
afterEach(() => server?.close());

/** The status that a request gets which names `host`. */
async function statusFor(listening: string, host: string | undefined, path = '/metrics'): Promise<number> {
  server ??= await answerHttp(
    { port: 0, host: listening },
    new Map([['/metrics', async () => jsonAnswer(200, {})]]),
  );
  const { port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const headers = host === undefined ? {} : { host };
    request({ host: '127.0.0.1', port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

/** The statuses of several hosts. */
async function statuses(listening: string, hosts: readonly string[]): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const host of hosts) found[host] = await statusFor(listening, host);
  await server?.close();
  server = undefined;
  return found;
}

const all = (hosts: readonly string[], status: number) =>
  Object.fromEntries(hosts.map((host) => [host, status]));

/** What another page's host may be called. */
const foreign = [
  'rebound.example.com',
  'rebound.example.com:9464',
  'localhost.example.com',
  '127.0.0.1.example.com',
  '127.0.0.1@rebound.example.com',
  'rebound.example.com#localhost',
  'local host',
  'localhost:9464:80',
  'usage-etl.example.com.',
];
const loopback = ['localhost', 'LOCALHOST:9464', 'localhost.', '127.0.0.1', '127.0.0.1:1', '[::1]:9464'];

describe('who listens on one address', () => {
  test.each(['127.0.0.1', 'localhost'])('answers loopback and nobody else: %s', async (listening) => {
    expect(await statuses(listening, loopback)).toEqual(all(loopback, 200));
    const others = [...foreign, '10.0.0.1', 'scheduler', hostname(), '[fd00::1]'];
    expect(await statuses(listening, others)).toEqual(all(others, 421));
  });
});

describe.each(['0.0.0.0', '::'])('who listens on every address, by %s', (listening) => {
  test('answers addresses, which no name server can point elsewhere, and names that none has', async () => {
    const hosts = [
      ...loopback,
      '10.0.0.1:9464',
      '[fd00::1]:9464',
      'scheduler:9464',
      'my_service',
      hostname(),
    ];
    expect(await statuses(listening, hosts)).toEqual(all(hosts, 200));
    expect(await statuses(listening, foreign)).toEqual(all(foreign, 421));
  });
});

test('what is not there is no secret to whoever names the right host only', async () => {
  expect(await statusFor('127.0.0.1', 'localhost', '/')).toBe(404);
  expect(await statusFor('127.0.0.1', 'rebound.example.com', '/')).toBe(421);
});
