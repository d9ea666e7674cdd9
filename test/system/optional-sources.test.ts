/** Sources that a platform may do without, on a host of its own: what their refusal means, and where the key goes. */
import { afterEach, expect, test } from 'vitest';
import type { Source } from '../../src/model/source.ts';
import { type AnsweringServer, sendJson, startAnsweringServer } from '../support/answering-server.ts';
import { factRows, sliceStatuses } from '../support/ledger-rows.ts';
import { review, runDay, setUpMadeUpSources } from '../support/made-up-installation.ts';
import { computers, reviews } from '../support/made-up-platform.ts';

const installation = setUpMadeUpSources();

const opened: AnsweringServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

const optionalComputers: Source = { ...computers, isOptional: true };
const awayReviews: Source = { ...reviews, isOptional: true, host: 'app', pathVariable: 'READINESS_PATH' };

/** An application host that has two reviews, or answers with a status. */
async function applicationHost(status = 200, headers: Record<string, string> = {}) {
  const server = await startAnsweringServer((response, _number, { url = '' }) => {
    const isFirst = !url.includes('after_id');
    sendJson(response, { reviews: isFirst ? [review(1, 'a.ts'), review(2)] : [] }, status, headers);
  });
  opened.push(server);
  return server;
}

test('what lies on another host is asked there, with the same credential', async () => {
  const { load, platform } = installation();
  const app = await applicationHost();
  const { summary } = await load({
    sources: [optionalComputers, awayReviews],
    environment: { APP_BASE_URL: app.url.href },
  });
  expect(summary).toMatchObject({
    status: 'succeeded',
    slices: { planned: 2, loaded: 2 },
    sources: { computers: 'loaded', reviews: 'loaded' },
  });
  expect(platform.asked).toEqual(['/api/v1/computers']);
  expect(app.arrivals.map(({ headers }) => headers.authorization)).toEqual(
    app.arrivals.map(() => 'Bearer key-of-the-tests'),
  );
  // Both hosts together.
  expect(summary.requests.sent).toBe(2 + app.arrivals.length);
});

test('a setting names another path', async () => {
  const app = await applicationHost();
  await installation().load({
    sources: [awayReviews],
    environment: { APP_BASE_URL: app.url.href, READINESS_PATH: '/renamed/list' },
  });
  expect(app.arrivals.length).toBeGreaterThan(0);
  for (const { url } of app.arrivals) expect(url).toMatch(/^\/renamed\/list\?limit=100/);
});

test('a redirect to another origin is not followed, be it that of the interface', async () => {
  const { load, platform } = installation();
  const app = await applicationHost(308, { location: new URL('/api/v1/reviews', platform.url).href });
  const { summary, failures } = await load({
    sources: [optionalComputers, awayReviews],
    environment: { APP_BASE_URL: app.url.href },
  });
  expect(summary).toMatchObject({ status: 'partial', sources: { computers: 'loaded', reviews: 'failed' } });
  expect(failures[0]?.reason).toContain('correct APP_BASE_URL');
  expect(platform.asked).toEqual(['/api/v1/computers']);
});

test.each([403, 404])('a %i is a warning, keeps what is held, and counts as no slice', async (status) => {
  const { database, load, platform } = installation();
  const sources = [optionalComputers, reviews];
  await load({ sources });
  const before = await factRows(database.pool);
  platform.fault = (path) => (path.includes('computers') ? status : undefined);
  const { summary, failures } = await load({ sources });
  expect(summary).toMatchObject({
    status: 'succeeded',
    slices: { planned: 1, unchanged: 1, failed: 0 },
    sources: { computers: 'unavailable' },
  });
  expect(failures).toEqual([]);
  expect(await factRows(database.pool)).toEqual(before);
  expect(await sliceStatuses(database.pool)).toEqual({
    [`computers ${runDay}`]: 'loaded',
    'reviews all': 'loaded',
  });
});

test.each([403, 404])('a %i from a source that must work fails that source alone', async (status) => {
  const { load, platform } = installation();
  platform.fault = (path) => (path.includes('computers') ? status : undefined);
  const { summary, failures, stoppedBy } = await load({
    sources: [optionalComputers, reviews],
    environment: { SOURCES: 'computers' },
  });
  expect(stoppedBy).toBeUndefined();
  expect(summary).toMatchObject({
    status: 'partial',
    slices: { planned: 2, loaded: 1, failed: 1 },
    sources: { computers: 'failed' },
  });
  expect(failures).toMatchObject([
    { endpoint: 'computers', reason: expect.stringContaining(String(status)) },
  ]);
});

test('a 500 fails such a source like any other, a 401 stops the run', async () => {
  const { load, platform } = installation();
  const sources = [optionalComputers, reviews];
  platform.fault = (path) => (path.includes('computers') ? 500 : undefined);
  expect((await load({ sources })).summary).toMatchObject({
    status: 'partial',
    sources: { computers: 'failed' },
  });
  platform.fault = (path) => (path.includes('computers') ? 401 : undefined);
  const { summary, stoppedBy } = await load({ sources });
  expect(stoppedBy).toMatchObject({ name: 'CredentialsRefusedError', status: 401 });
  expect(summary).toMatchObject({ sources: { computers: 'failed' } });
});
