import { afterEach, describe, expect, test } from 'vitest';
import type { PlatformClient } from '../../../src/extract/platform-client.ts';
import { day } from '../../../src/model/day.ts';
import { RequestFailedError } from '../../../src/model/errors.ts';
import type { RunEvent } from '../../../src/model/run.ts';
import { learnOrganization } from '../../../src/pipeline/organization/learn-organization.ts';
import { organizationProbes } from '../../../src/sources/registry.ts';
import { type AnsweringServer, sendJson, startAnsweringServer } from '../../support/answering-server.ts';
import { openClient } from '../../support/platform-access.ts';

const newest = day('2026-03-10');
const clock = () => Date.parse('2026-03-11T00:30:00Z');

let server: AnsweringServer;
let client: PlatformClient;

afterEach(async () => {
  await client.close();
  await server.close();
});

/** A platform that answers with `status` for a day of an endpoint, and tells the time that `date` says. */
async function learn(
  status: (endpoint: string, of: string) => number,
  { date, asked = newest }: { date?: string; asked?: typeof newest } = {},
) {
  server = await startAnsweringServer((response, _, { url }) => {
    const { pathname, searchParams } = new URL(url ?? '', 'http://platform');
    const of = searchParams.get('startDate') ?? '';
    const code = status(pathname.split('/').at(-1) ?? '', of);
    response.sendDate = false;
    if (date !== undefined) response.setHeader('date', date);
    const meta = { org_id: 'org_1', start_date: of, end_date: of };
    sendJson(response, code === 200 ? { data: [], meta } : { title: 'refused' }, code);
  });
  client = openClient(server.url, { maxRetries: 0 });
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent) => void events.push(event);
  const learned = await learnOrganization({ client, probes: organizationProbes, clock, onEvent }, asked);
  return { learned, events };
}

const until = (last: string) => (_: string, of: string) => (of <= last ? 200 : 400);
const daysAsked = () =>
  server.arrivals.map(({ url }) => new URL(url, server.url).searchParams.get('startDate'));

describe('learning the organization', () => {
  test('takes one request where the newest day is served', async () => {
    const { learned, events } = await learn(until(newest));
    expect({ learned, events }).toEqual({
      learned: { organizationId: 'org_1', servedUntil: newest },
      events: [],
    });
    expect(server.arrivals).toHaveLength(1);
  });

  test('asks at once for the yesterday of a platform that tells its time', async () => {
    const { learned, events } = await learn(until('2026-03-05'), { date: 'Fri, 06 Mar 2026 23:30:00 GMT' });
    expect(learned.servedUntil).toBe('2026-03-05');
    expect(daysAsked()).toEqual([newest, newest, '2026-03-05']);
    expect(events).toEqual([
      {
        type: 'day-not-served',
        day: newest,
        servedUntil: '2026-03-05',
        timeHere: clock(),
        timeThere: Date.parse('2026-03-06T23:30:00Z'),
      },
    ]);
  });

  test('asks day by day where the platform does not tell its time, or tells nonsense', async () => {
    for (const date of [undefined, 'soon']) {
      const { learned, events } = await learn(until('2026-03-07'), date === undefined ? {} : { date });
      expect(learned.servedUntil).toBe('2026-03-07');
      expect(daysAsked()).toEqual([newest, newest, '2026-03-09', '2026-03-08', '2026-03-07']);
      expect(events).toMatchObject([{ type: 'day-not-served', timeThere: undefined }]);
      await client.close();
      await server.close();
    }
  });

  test('believes no endpoint that refuses a day which another one serves', async () => {
    const { learned, events } = await learn((endpoint) => (endpoint === 'activity' ? 400 : 200));
    expect({ learned, events }).toEqual({
      learned: { organizationId: 'org_1', servedUntil: newest },
      events: [],
    });
  });

  test('finds out although one endpoint is down', async () => {
    const { learned } = await learn((endpoint, of) =>
      endpoint === 'activity' ? 500 : of < newest ? 200 : 400,
    );
    expect(learned.servedUntil).toBe('2026-03-09');
  });

  test('leaves an older day that is refused to its slices', async () => {
    const asked = day('2026-03-08');
    const { learned, events } = await learn((_, of) => (of === asked ? 400 : 200), { asked });
    expect({ learned, events }).toEqual({
      learned: { organizationId: 'org_1', servedUntil: asked },
      events: [],
    });
  });

  test('fails with what the platform said where it refuses every day, and asks for no day before the first', async () => {
    await expect(learn(() => 400)).rejects.toThrow(RequestFailedError);
    expect(server.arrivals).toHaveLength(9);
    await client.close();
    await server.close();
    await expect(learn(() => 400, { asked: day('2026-01-14') })).rejects.toThrow(RequestFailedError);
    expect(server.arrivals).toHaveLength(2);
  });
});
