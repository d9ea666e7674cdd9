import { afterEach, describe, expect, it } from 'vitest';
import type { Page } from '../../../src/extract/envelope.ts';
import type { PlatformClient } from '../../../src/extract/platform-client.ts';
import { addDays, day, daysOf } from '../../../src/model/day.ts';
import { UnexpectedAnswerError } from '../../../src/model/errors.ts';
import { organizationId, startPlatform } from '../../simulator/platform.ts';
import { fieldsOf } from '../../support/exact-json.ts';
import { openClient } from '../../support/platform-access.ts';
import { answers, type Fields, recordsOf } from '../../support/read-pages.ts';

const opened: AsyncDisposable[] = [];
const asked = day('2026-03-09');

afterEach(async () => {
  for (const open of opened.splice(0).reverse()) await open[Symbol.asyncDispose]();
});

async function platform(options: Parameters<typeof startPlatform>[0] = {}) {
  const started = await startPlatform(options);
  const client: PlatformClient = openClient(new URL(started.simulator.url), { apiKey: 'owner' });
  opened.push(started, { [Symbol.asyncDispose]: () => client.close() });
  return { ...started, client };
}

/** The only answer for days of an endpoint. */
async function readWindow(client: PlatformClient, ...days: readonly string[]): Promise<Page> {
  const pages: Page[] = [];
  for await (const each of answers(client, 'activity', days)) pages.push(each);
  const [page, ...others] = pages;
  if (page === undefined || others.length > 0) throw new RangeError('expected one answer');
  return page;
}

const readPages = (client: PlatformClient, of: string) => answers(client, 'users', [of]);

/** A platform that changes the envelope of its first answer. */
function mutating(change: (envelope: Fields, meta: Fields) => unknown) {
  return platform({
    fault: ({ number }) =>
      number > 1
        ? undefined
        : {
            kind: 'mutate',
            mutate: (envelope) => {
              const whole = fieldsOf(envelope);
              return change(whole, fieldsOf(whole.meta));
            },
          },
  });
}

describe('a window', () => {
  it('is one request for all its days', async () => {
    const { client, simulator } = await platform();
    const page = await readWindow(client, ...daysOf({ from: addDays(asked, -6), to: asked }));
    expect(page).toMatchObject({ organizationId, cursor: undefined });
    expect(
      recordsOf(page)
        .map(({ date }) => date)
        .sort(),
    ).toEqual(daysOf({ from: addDays(asked, -6), to: asked }));
    expect(simulator.requests).toMatchObject([
      { path: '/api/v1/analytics/activity', query: { startDate: '2026-03-03', endDate: '2026-03-09' } },
    ]);
  });

  it.each([
    ['JSON', (body: Buffer) => body.subarray(0, -1)],
    ['UTF-8', (body: Buffer) => Buffer.concat([Buffer.from('{"\xff":0,', 'latin1'), body.subarray(1)])],
  ])('is asked for again when the answer is not %s', async (_, rewrite) => {
    const { client, simulator } = await platform({
      fault: ({ number }) => (number === 1 ? { kind: 'rewrite', rewrite } : undefined),
    });
    const page = await readWindow(client, asked);
    expect(page.records).toHaveLength(1);
    expect(simulator.requests).toHaveLength(2);
  });

  it.each<[string, Parameters<typeof mutating>[0]]>([
    ['is a bare list', ({ data }) => data],
    ['has no data', ({ meta }) => ({ meta })],
    ['has no meta', ({ data }) => ({ data })],
    ['has data that is no list', ({ meta }) => ({ meta, data: {} })],
    ['names no organization', (envelope, meta) => ({ ...envelope, meta: { ...meta, org_id: '' } })],
    ['names other days', (envelope, meta) => ({ ...envelope, meta: { ...meta, end_date: '2026-03-08' } })],
    [
      'has more, although it does not come in pages',
      (envelope, meta) => ({ ...envelope, meta: { ...meta, has_more: true, next_cursor: 'x' } }),
    ],
    [
      'has more, but says not where',
      (envelope, meta) => ({ ...envelope, meta: { ...meta, has_more: true } }),
    ],
  ])('is refused when it %s', async (_, change) => {
    const { client, simulator } = await mutating(change);
    await expect(readWindow(client, asked)).rejects.toThrow(UnexpectedAnswerError);
    expect(simulator.requests).toHaveLength(1);
  });
});

describe('the pages of a day', () => {
  it('follow the cursor to the end and hold every row once', async () => {
    const { client, simulator, dataset } = await platform();
    const rows: unknown[] = [];
    for await (const page of readPages(client, asked)) rows.push(...recordsOf(page));
    expect(rows).toEqual(dataset.rows('users', asked));
    expect(rows.length).toBeGreaterThan(14);
    expect(simulator.requests).toHaveLength(Math.ceil(rows.length / 7));
    const [first, second] = simulator.requests;
    expect(first?.query).toEqual({ startDate: asked, endDate: asked, limit: '7' });
    expect(second?.query).toHaveProperty('cursor');
  });

  it('are not asked for beyond what the caller takes', async () => {
    const { client, simulator } = await platform();
    const pages = readPages(client, asked);
    await pages.next();
    await pages.return();
    expect(simulator.requests).toHaveLength(1);
  });

  it('end with an error when a cursor comes a second time', async () => {
    const { client, simulator } = await platform({
      fault: () => ({
        kind: 'mutate',
        mutate: (envelope) => {
          const whole = fieldsOf(envelope);
          return { ...whole, meta: { ...fieldsOf(whole.meta), has_more: true, next_cursor: 'same' } };
        },
      }),
    });
    const read = async () => {
      for await (const _ of readPages(client, asked));
    };
    await expect(read()).rejects.toThrow('names the cursor "same" a second time');
    expect(simulator.requests).toHaveLength(2);
  });

  it.each([
    ['101 empty', () => [], 102],
    ['two repeated', (data: unknown) => data, 3],
  ])('end with an error after %s pages in a row, however new their cursors are', async (_, rowsOf, pages) => {
    let [page, first]: [number, unknown] = [0, undefined];
    const { client, simulator } = await platform({
      fault: () => ({
        kind: 'mutate',
        mutate: (envelope) => {
          const { data, meta } = fieldsOf(envelope);
          first ??= data;
          page += 1;
          const endless = { ...fieldsOf(meta), has_more: true, next_cursor: `cursor ${page}` };
          return { data: page === 1 ? first : rowsOf(first), meta: endless };
        },
      }),
    });
    const read = async () => {
      for await (const _page of readPages(client, asked));
    };
    await expect(read()).rejects.toThrow(`paging would never end: page ${pages} of 2026-`);
    expect(simulator.requests).toHaveLength(pages);
  });

  it('may hold one that brings nothing new', async () => {
    const { client, dataset } = await platform({
      fault: ({ query }) =>
        query.cursor === undefined
          ? { kind: 'mutate', mutate: (envelope) => ({ ...fieldsOf(envelope), data: [] }) }
          : undefined,
    });
    const rows: unknown[] = [];
    for await (const page of readPages(client, asked)) rows.push(...recordsOf(page));
    expect(rows).toEqual(dataset.rows('users', asked).slice(7));
  });
});
