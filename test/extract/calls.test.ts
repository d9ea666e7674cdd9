import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../../src/extract/api-request.ts';
import { CredentialsRefusedError, explain, RequestFailedError } from '../../src/model/errors.ts';
import { type AnsweringServer, type AnswerRequest, sendJson } from '../support/answering-server.ts';
import { anyJson } from '../support/platform-access.ts';
import { open, serve } from '../support/served-clients.ts';

const create: ApiRequest = {
  method: 'POST',
  path: '/api/v0/computers',
  body: { name: 'näme' },
  isRepeatable: false,
};
const set: ApiRequest = { ...create, method: 'PUT', isRepeatable: true };

let server: AnsweringServer;

/** What a call to a platform that answers so ended in. */
async function outcome(call: ApiRequest, answer: AnswerRequest): Promise<unknown> {
  server = await serve(answer);
  return open(server)
    .send(call, anyJson)
    .catch((error: unknown) => error);
}

describe('a call', () => {
  it('carries its method and its body as JSON', async () => {
    const asked: { request: IncomingMessage; body: Promise<string> }[] = [];
    const answer = await outcome(create, (response, _, request) => {
      asked.push({ request, body: text(request) });
      sendJson(response, { id: 'c1' }, 201);
    });
    expect(answer).toEqual({ id: 'c1' });
    const [{ request, body } = { request: undefined, body: undefined }] = asked;
    expect(request).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
    expect(await body).toBe('{"name":"näme"}');
  });

  it.each([200, 201, 202])('succeeds with %i', async (status) => {
    expect(await outcome(create, (response) => sendJson(response, {}, status))).toEqual({});
  });

  it('that must not be done twice is sent once, whatever becomes of it', async () => {
    const failures: AnswerRequest[] = [
      (response) => sendJson(response, {}, 500),
      (response) => sendJson(response, {}, 503),
      (_, __, request) => void request.socket.resetAndDestroy(),
      (response) => response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":'),
    ];
    for (const fail of failures) {
      expect(await outcome(create, fail)).toBeInstanceOf(RequestFailedError);
      expect(server.arrivals).toHaveLength(1);
    }
  });

  it('that must not be done twice is sent again after 429, which says that nothing was done', async () => {
    const answer = await outcome(create, (response, number) =>
      sendJson(response, {}, number < 3 ? 429 : 201),
    );
    expect(answer).toEqual({});
    expect(server.arrivals).toHaveLength(3);
  });

  it('that may be done twice is repeated like a question', async () => {
    const answer = await outcome(set, (response, number) => sendJson(response, {}, number < 3 ? 500 : 200));
    expect(answer).toEqual({});
    expect(server.arrivals).toHaveLength(3);
  });

  it('keeps its method and body where a redirect says so, and follows no other', async () => {
    const answer = (status: number): AnswerRequest => {
      return (response, number, request) =>
        number === 1
          ? sendJson(response, {}, status, { location: '/elsewhere' })
          : sendJson(response, { method: request.method });
    };
    expect(await outcome(set, answer(308))).toEqual({ method: 'PUT' });
    expect(explain(await outcome(set, answer(302)))).toBe(
      'PUT /api/v0/computers failed after 1 attempt: the platform answered 302',
    );
    expect(server.arrivals).toHaveLength(1);
  });

  it.each([401, 403] as const)(
    'that is refused with %i says what the credential may not do',
    async (status) => {
      const error = await outcome(create, (response) => sendJson(response, { detail: 'not you' }, status));
      expect(error).toBeInstanceOf(CredentialsRefusedError);
      expect(error).toMatchObject({ status });
      expect(explain(error)).toContain(
        status === 403
          ? '403: this API key may not POST /api/v0/computers'
          : '401: the platform does not accept',
      );
      expect(explain(error).split('not you'), 'said once').toHaveLength(2);
    },
  );
});
