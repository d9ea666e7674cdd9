import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  CredentialsRefusedError,
  explain,
  RequestFailedError,
  UnexpectedAnswerError,
} from '../../src/model/errors.ts';
import { type AnsweringServer, sendJson, startAnsweringServer } from '../support/answering-server.ts';
import { anyJson, apiKey } from '../support/platform-access.ts';
import { open, outcome, serve } from '../support/served-clients.ts';

describe('another host of the platform', () => {
  it('gets the same credential, and is counted with the first', async () => {
    const [first, second] = [
      await serve((response) => sendJson(response, 1)),
      await serve((response) => sendJson(response, 2)),
    ];
    const client = open(first);
    const other = client.at(new URL('/app', second.url), 'APP_BASE_URL');
    expect(await outcome(client)).toBe(1);
    expect(await outcome(other)).toBe(2);
    expect(second.arrivals).toMatchObject([
      { url: '/app/a', headers: { authorization: `Bearer ${apiKey}` } },
    ]);
    expect(client.counts).toEqual({ sent: 2, retried: 0 });
  });

  it('is not reached by a redirect from the first, nor the first by one from there', async () => {
    const first: AnsweringServer = await serve((response) =>
      sendJson(response, {}, 308, { location: second.url.href }),
    );
    const second: AnsweringServer = await serve((response) =>
      sendJson(response, {}, 307, { location: first.url.href }),
    );
    const client = open(first);
    const other = client.at(second.url, 'APP_BASE_URL');
    expect(explain(await outcome(client))).toContain('correct API_BASE_URL');
    expect(explain(await outcome(other))).toContain('correct APP_BASE_URL');
    expect(first.arrivals).toHaveLength(1);
    expect(second.arrivals).toHaveLength(1);
  });

  it('is not reached by a path that looks like an address', async () => {
    const [first, second] = [
      await serve((response) => sendJson(response, 1)),
      await serve((response) => sendJson(response, 2)),
    ];
    const client = open(first);
    expect(await client.get(`//${second.url.host}/list`, {}, anyJson)).toBe(1);
    expect(second.arrivals).toEqual([]);
  });
});

it('keeps its query where a redirect to another path names none', async () => {
  const server = await serve((response, number) =>
    number === 1 ? sendJson(response, {}, 308, { location: '/renamed' }) : sendJson(response, 1),
  );
  expect(await open(server).get('/a', { limit: '3' }, anyJson)).toBe(1);
  expect(server.arrivals.map(({ url }) => url)).toEqual(['/a?limit=3', '/renamed?limit=3']);
});

describe('a request', () => {
  it('carries the credential, asks for JSON and says who asks', async () => {
    const server = await serve((response) => sendJson(response, { ok: true }));
    const client = open({ url: new URL('/sub/', server.url) });
    const query = { cursor: 'a b&c=d', limit: '100' };
    expect(await client.get('/api/v1/analytics/users', query, String)).toBe('{"ok":true}');
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

  it('hands the body on as it came, byte by byte', async () => {
    const body = Buffer.from('\ufeff {"credits": 12345678901234567.89, "name": "é\\u0000"}\n');
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
      response.end(body);
    });
    expect(await open(server).get('/a', {}, (received) => received)).toEqual(body);
  });

  it('is not repeated when the body is JSON, but not what was expected', async () => {
    const server = await serve((response) => sendJson(response, {}));
    const refused = new UnexpectedAnswerError('of another day');
    const refuse = () => {
      throw refused;
    };
    await expect(open(server).get('/a', {}, refuse)).rejects.toBe(refused);
    expect(server.arrivals).toHaveLength(1);
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
    const error = await open(server)
      .get('/api/v1/analytics/users', {}, anyJson)
      .catch((caught: unknown) => caught);
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
  const client = open({ url: new URL(`http://localhost:${server.url.port}`) }, { maxRetries: 0 });
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
    await expect(client.get('/x', {}, anyJson)).rejects.toMatchObject({ smallerMayWork: true });
  });
});
