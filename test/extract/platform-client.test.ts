import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { PlatformClient } from '../../src/extract/platform-client.ts';
import { CredentialsRefusedError, explain, RequestFailedError } from '../../src/model/errors.ts';
import type { RunEvent } from '../../src/model/run.ts';
import {
  type AnsweringServer,
  type AnswerRequest,
  sendJson,
  startAnsweringServer,
} from '../support/answering-server.ts';
import { apiKey, openClient } from '../support/platform-access.ts';

const opened: (AnsweringServer | PlatformClient)[] = [];

afterEach(async () => {
  for (const open of opened.splice(0).reverse()) await open.close();
});

async function serve(answer: AnswerRequest): Promise<AnsweringServer> {
  const server = await startAnsweringServer(answer);
  opened.push(server);
  return server;
}

function open(server: AnsweringServer, changes: Parameters<typeof openClient>[1] = {}): PlatformClient {
  const client = openClient(server.url, changes);
  opened.push(client);
  return client;
}

/** What a request ended in: the value of the answer, or the error. */
async function outcome(client: PlatformClient): Promise<unknown> {
  return client.get('/a', {}).then(
    ({ value }) => value,
    (error: unknown) => error,
  );
}

describe('a request', () => {
  it('carries the credential, asks for JSON and says who asks', async () => {
    const server = await serve((response) => sendJson(response, { ok: true }));
    const base = new URL('/sub/', server.url);
    const client = openClient(base);
    opened.push(client);
    const answer = await client.get('/api/v1/analytics/users', { cursor: 'a b&c=d', limit: '100' });
    expect(answer).toMatchObject({ value: { ok: true }, text: '{"ok":true}' });
    expect(server.arrivals).toMatchObject([
      {
        url: '/sub/api/v1/analytics/users?cursor=a+b%26c%3Dd&limit=100',
        headers: {
          authorization: `Bearer ${apiKey}`,
          accept: 'application/json',
          'user-agent': 'usage-etl/test',
        },
      },
    ]);
  });

  it('reads numbers without losing a digit', async () => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
      response.end('{"credits": 12345678901234567.89}');
    });
    expect(await outcome(open(server))).toMatchObject({ credits: { text: '12345678901234567.89' } });
  });
});

describe('a retry', () => {
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
      'the body is not UTF-8',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(Buffer.from([0x22, 0xff, 0x22]));
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
    const client = open(server, { onRetry: (event) => void retries.push(event) });
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
    await expect(client.get('/a', {}, { maxRetries: 0 })).rejects.toThrow('after 1 attempt');
    await expect(client.get('/a', {}, { maxRetriesIfTooLarge: 1 })).rejects.toThrow('after 2 attempts');
    expect(server.arrivals).toHaveLength(3);
  });

  it('says whether a smaller request may succeed', async () => {
    const statuses = [400, 413, 408, 504, 404, 500];
    const server = await serve((response, number) => sendJson(response, {}, statuses[number - 1]));
    const client = open(server, { maxRetries: 0 });
    const smaller: unknown[] = [];
    for (const _ of statuses) smaller.push(await outcome(client));
    expect(smaller).toMatchObject(
      [true, true, true, true, false, false].map((smallerMayWork) => ({ smallerMayWork })),
    );
  });

  it('follows when an attempt takes longer than REQUEST_TIMEOUT_MS, also in the middle of the body', async () => {
    const server = await serve((response, number) => {
      if (number === 1) return;
      if (number === 3) return sendJson(response, { ok: true });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    });
    expect(await outcome(open(server, { requestTimeoutMs: 150 }))).toEqual({ ok: true });
    expect(server.arrivals).toHaveLength(3);
  });
});

describe('Retry-After', () => {
  async function secondAfter(retryAfter: string, status = 503): Promise<number> {
    const server = await serve((response, number) =>
      number === 1 ? sendJson(response, {}, status, { 'retry-after': retryAfter }) : sendJson(response, {}),
    );
    await open(server).get('/a', {});
    return Number(server.arrivals[1]?.at) - Number(server.arrivals[0]?.at);
  }

  it('is waited for when it names seconds', async () => {
    expect(await secondAfter('1')).toBeGreaterThanOrEqual(995);
  });

  it('is waited for when it names a date', async () => {
    // A date has whole seconds: two ahead are more than one.
    expect(await secondAfter(new Date(Date.now() + 2000).toUTCString())).toBeGreaterThanOrEqual(950);
  });

  it('of a date that is past does not delay', async () => {
    expect(await secondAfter('Thu, 01 Jan 2026 00:00:00 GMT')).toBeLessThan(900);
  });

  it.each(['soon', '-5', 'NaN', '', '1e9'])('that says %o counts as absent', async (nonsense) => {
    expect(await secondAfter(nonsense)).toBeLessThan(900);
  });

  it('of more than an hour is not waited for', async () => {
    const server = await serve((response) => sendJson(response, {}, 503, { 'retry-after': '3601' }));
    const error = await outcome(open(server));
    expect(error).toBeInstanceOf(RequestFailedError);
    expect(explain(error)).toContain('GET /a failed after 1 attempt; it asks to wait (Retry-After: 3601)');
  });
});

describe('an answer', () => {
  it('larger than MAX_RESPONSE_BYTES is not read to its end, and a smaller one may do', async () => {
    let sent = 0;
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const send = () => {
        for (let more = true; more && !response.destroyed; sent += 65_536)
          more = response.write(' '.repeat(65_536));
      };
      response.on('drain', send);
      send();
    });
    const error = await outcome(open(server, { maxResponseBytes: 100_000 }));
    expect(error).toMatchObject({ smallerMayWork: true, status: 200 });
    expect(explain(error)).toContain('MAX_RESPONSE_BYTES (100000)');
    await expect.poll(() => sent).toBeLessThan(50_000_000);
    expect(server.arrivals).toHaveLength(1);
  });

  it('of exactly MAX_RESPONSE_BYTES is read', async () => {
    const server = await serve((response) => sendJson(response, 'x'.repeat(98)));
    expect(await outcome(open(server, { maxResponseBytes: 100 }))).toBe('x'.repeat(98));
    expect(await outcome(open(server, { maxResponseBytes: 99 }))).toBeInstanceOf(RequestFailedError);
  });
});

describe('a redirect', () => {
  it.each(['/b?x=1', './b?x=1'])('within the origin is followed: %s', async (location) => {
    const server = await serve((response, number) =>
      number === 1 ? sendJson(response, {}, 307, { location }) : sendJson(response, { ok: true }),
    );
    expect(await outcome(open(server))).toEqual({ ok: true });
    expect(server.arrivals[1]).toMatchObject({
      url: '/b?x=1',
      headers: { authorization: `Bearer ${apiKey}` },
    });
  });

  it.each([301, 302, 303, 307, 308])(
    'with status %i to another origin is refused, and nothing is sent there',
    async (status) => {
      const other = await serve((response) => sendJson(response, {}));
      const server = await serve((response) => sendJson(response, {}, status, { location: other.url.href }));
      const error = await outcome(open(server));
      expect(error).toBeInstanceOf(RequestFailedError);
      expect(explain(error)).toContain(`redirected to another host (${other.url.origin})`);
      expect(other.arrivals).toEqual([]);
      expect(server.arrivals).toHaveLength(1);
    },
  );

  it('to another origin is refused also after one within it', async () => {
    const other = await serve((response) => sendJson(response, {}));
    const server = await serve((response, number) =>
      sendJson(response, {}, 302, { location: number === 1 ? '/again' : other.url.href }),
    );
    expect(await outcome(open(server))).toBeInstanceOf(RequestFailedError);
    expect(other.arrivals).toEqual([]);
  });

  it('that leads in a circle ends', async () => {
    const server = await serve((response) => sendJson(response, {}, 302, { location: '/a' }));
    expect(explain(await outcome(open(server)))).toContain('redirected more than 3 times');
  });
});

describe('refused credentials', () => {
  it.each([
    [401, 'does not accept this API key'],
    [403, 'Manager or Owner'],
  ])('end everything at once, with the platform’s words and advice: %i', async (status, advice) => {
    const problem = { title: 'No', detail: 'the key is revoked', status, requestId: 'req_42' };
    const server = await serve((response) => sendJson(response, problem, status));
    const error = await outcome(open(server));
    expect(error).toBeInstanceOf(CredentialsRefusedError);
    expect(explain(error)).toContain(advice);
    expect(explain(error)).toContain('the key is revoked, request id req_42');
    expect(explain(error)).not.toContain(apiKey);
    expect(server.arrivals).toHaveLength(1);
  });

  it('are told from the status alone when no problem body comes', async () => {
    const server = await serve((response) => {
      response.writeHead(401, { 'content-type': 'text/html' });
      response.end('<p>no');
    });
    expect(await outcome(open(server))).toBeInstanceOf(CredentialsRefusedError);
  });
});

it('names the reason when nothing listens at any address of a name', async () => {
  const server = await startAnsweringServer(() => undefined);
  await server.close();
  const client = openClient(new URL(`http://localhost:${server.url.port}`), { maxRetries: 0 });
  opened.push(client);
  expect(explain(await outcome(client))).toContain('ECONNREFUSED');
});

describe('a compressed answer', () => {
  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('in %s is read as what it holds', async (encoding, compress) => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
      response.end(compress('{"credits": 1.5}'));
    });
    expect(await outcome(open(server))).toEqual({ credits: 1.5 });
  });

  it('that unfolds to more than MAX_RESPONSE_BYTES is refused, and a smaller one may work', async () => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify({ text: 'a'.repeat(1_000_000) })));
    });
    const client = open(server, { maxResponseBytes: 10_000, maxRetries: 0 });
    await expect(client.get('/x', {})).rejects.toMatchObject({ smallerMayWork: true });
  });
});
