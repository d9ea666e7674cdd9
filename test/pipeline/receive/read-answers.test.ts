import { afterEach, describe, expect, it } from 'vitest';
import type { Page } from '../../../src/extract/envelope.ts';
import type { PlatformClient } from '../../../src/extract/platform-client.ts';
import { addDays, day, daysOf } from '../../../src/model/day.ts';
import { UnexpectedAnswerError } from '../../../src/model/errors.ts';
import { readOf } from '../../../src/model/source.ts';
import { readAnswers } from '../../../src/pipeline/receive/read-answers.ts';
import { meterOf } from '../../../src/pipeline/receive/read-bounds.ts';
import { organizationId, startPlatform } from '../../simulator/platform.ts';
import { sendJson, startAnsweringServer } from '../../support/answering-server.ts';
import { fieldsOf } from '../../support/exact-json.ts';
import { openClient } from '../../support/platform-access.ts';
import { sourceOf } from '../../support/samples.ts';

type Fields = Readonly<Record<string, unknown>>;

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

/** The answers for days of an endpoint, in pages of seven records where it comes in pages. */
function answers(client: PlatformClient, endpoint: string, days: readonly string[]) {
  const read = readOf(sourceOf(endpoint), days);
  if (read === undefined) throw new RangeError('expected days');
  return readAnswers({ client, organizationId, pageSize: 7 }, read, {});
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

/** What the records of a page say. */
function recordsOf({ bytes, records }: Page): Fields[] {
  return records.map(({ start, end }) => fieldsOf(JSON.parse(bytes.toString('utf8', start, end))));
}

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

/** A page of a made-up platform: ids of its records, and what its meta says of paging. `status` refuses the request. */
interface SaidPage {
  readonly ids?: readonly string[];
  readonly said?: Fields;
  readonly status?: number;
}

/** Reads a day of `/users` from a platform that answers without a cursor with the first page, and with one with the page of that name. */
async function readSaid(first: SaidPage, others: Readonly<Record<string, SaidPage>> = {}) {
  const server = await startAnsweringServer((response, _number, { url = '' }) => {
    const cursor = new URL(url, 'http://platform').searchParams.get('cursor');
    const {
      ids = [],
      said = {},
      status = 200,
    } = (cursor === null ? first : others[cursor]) ?? { status: 400 };
    const meta = { org_id: organizationId, start_date: asked, end_date: asked, ...said };
    sendJson(response, { data: ids.map((user_id) => ({ user_id, date: asked })), meta }, status);
  });
  opened.push({ [Symbol.asyncDispose]: () => server.close() });
  const client = openClient(server.url, { apiKey: 'owner', maxRetries: 0 });
  opened.push({ [Symbol.asyncDispose]: () => client.close() });
  const ids: unknown[] = [];
  const drift: string[] = [];
  const error = await (async () => {
    for await (const page of readPages(client, asked)) {
      ids.push(...recordsOf(page).map(({ user_id }) => user_id));
      for (const { kind, path } of page.drift ?? []) drift.push(`${kind} ${path}`);
    }
  })().catch((thrown: unknown) => thrown);
  return { ids, drift, error, requests: server.arrivals.length };
}

describe('a next cursor', () => {
  const rest = { b: { ids: ['3'], said: { has_more: false } } };
  const flag = 'missing_field meta.has_more';

  it.each<[string, Fields, readonly string[]]>([
    ['true', { has_more: true }, []],
    ['nothing', {}, [flag]],
    ['null', { has_more: null }, [flag]],
    ['text', { has_more: 'true' }, [flag]],
    ['a number', { has_more: 1 }, [flag]],
    ['what nobody understands', { has_more: { very: 'much' } }, [flag]],
    ['false', { has_more: false }, ['contradiction meta.has_more']],
    ['false as text', { has_more: 'false' }, [flag, 'contradiction meta.has_more']],
  ])('is followed beside %s', async (_, said, drift) => {
    const read = await readSaid({ ids: ['1', '2'], said: { ...said, next_cursor: 'b' } }, rest);
    expect(read).toEqual({ ids: ['1', '2', '3'], drift, error: undefined, requests: 2 });
  });

  it.each<[string, Fields]>([
    ['is absent', { has_more: true }],
    ['is null', { has_more: true, next_cursor: null }],
    ['is empty', { has_more: true, next_cursor: '' }],
    ['is a number', { has_more: true, next_cursor: 20 }],
    ['is a list', { has_more: true, next_cursor: ['b'] }],
    ['is a number, and nothing says whether more follows', { next_cursor: 20 }],
    ['is absent where more follows as text', { has_more: 'true' }],
    ['is absent where nobody understands whether more follows', { has_more: 'perhaps' }],
  ])('that %s fails the day, and is drift', async (_, said) => {
    const read = await readSaid({ ids: ['1'], said });
    expect(read.error).toBeInstanceOf(UnexpectedAnswerError);
    expect(String(read.error)).toMatch(/expected the cursor of the next page as text in next_cursor/);
    expect(read.drift).toContain('missing_field meta.next_cursor');
    expect(read.requests).toBe(1);
  });

  it.each<[string, Fields]>([
    ['nothing', {}],
    ['null', { has_more: null, next_cursor: null }],
    ['an empty cursor', { next_cursor: '' }],
    ['false', { has_more: false }],
  ])('need not stand on the last page, which says %s', async (_, said) => {
    expect(await readSaid({ ids: ['1'], said })).toEqual({
      ids: ['1'],
      drift: [],
      error: undefined,
      requests: 1,
    });
  });

  it.each<[string, Readonly<Record<string, SaidPage>>, number]>([
    ['an empty page', { b: { said: { has_more: false } } }, 3],
    ['an empty page that repeats it', { b: { said: { has_more: false, next_cursor: 'b' } } }, 3],
    ['an empty page with another one', { b: { said: { has_more: false, next_cursor: 'c' } } }, 3],
    ['an empty page that says no more', { b: {} }, 3],
    ['the same page', { b: { ids: ['2'], said: { has_more: false, next_cursor: 'b' } } }, 3],
    ['the first page', { b: { ids: ['1'], said: { has_more: true, next_cursor: 'a' } } }, 3],
    ['a refusal', { b: { status: 400 } }, 3],
    ['what is not there', { b: { status: 404 } }, 3],
    ['an empty page that claims more', { b: { said: { has_more: true } } }, 3],
  ])('of the last page may lead to %s', async (_, behind, requests) => {
    const last = { ids: ['2'], said: { has_more: false, next_cursor: 'b' } };
    const read = await readSaid(
      { ids: ['1'], said: { has_more: true, next_cursor: 'a' } },
      { a: last, ...behind },
    );
    expect(read).toMatchObject({ ids: ['1', '2'], error: undefined, requests });
    expect(read.drift).not.toContain('contradiction meta.has_more');
  });

  it('of the last page is no excuse for what fails otherwise', async () => {
    const last = { ids: ['1'], said: { has_more: false, next_cursor: 'b' } };
    expect(await readSaid(last, { b: { status: 500 } })).toMatchObject({
      error: expect.objectContaining({ status: 500 }),
    });
    const endless = { ids: ['2'], said: { has_more: true, next_cursor: 'b' } };
    expect(await readSaid(last, { b: endless })).toMatchObject({ error: expect.any(UnexpectedAnswerError) });
  });

  it('is followed over 100 pages without records, and what comes after them is read', async () => {
    const empty = Array.from({ length: 100 }, (_, page): [string, SaidPage] => [
      `${page + 1}`,
      { said: { has_more: true, next_cursor: `${page + 2}` } },
    ]);
    const pages = { ...Object.fromEntries(empty), 101: { ids: ['2'], said: { has_more: false } } };
    const read = await readSaid({ ids: ['1'], said: { has_more: true, next_cursor: '1' } }, pages);
    expect(read).toEqual({ ids: ['1', '2'], drift: [], error: undefined, requests: 102 });
  });
});

describe('what a read may bring', () => {
  const users = sourceOf('users');

  function meter(pageSize: number, largestKnown: number | undefined) {
    const read = readOf(users, [asked]);
    if (read === undefined) throw new RangeError('expected a day');
    return meterOf(read, pageSize, { largestKnown: async () => largestKnown });
  }

  /** Pages after which it is too much, each with so many records. */
  async function mostPages(pageSize: number, onPage: number, largestKnown: number | undefined) {
    const each = meter(pageSize, largestKnown);
    for (let pages = 1; ; pages += 1) {
      each.count({ bytes: 1, records: onPage });
      try {
        await each.refuseEndless();
      } catch (error) {
        expect(error).toBeInstanceOf(UnexpectedAnswerError);
        return pages;
      }
    }
  }

  it.each([
    ['where nothing is known, a million records', 100, 100, undefined, 10_000],
    ['the same, though pages have one each', 100, 1, undefined, 10_000],
    ['in smaller pages', 50, 50, undefined, 20_000],
    ['a thousand pages of an organization that was small', 100, 100, 5, 1_000],
    ['ten times the largest day known', 100, 100, 30_000, 3_000],
    ['the same where the platform gives fewer than asked for', 100, 20, 30_000, 15_000],
    ['and not as many pages as it likes', 100, 1, 30_000, 30_000],
  ])('is bounded: %s', async (_, pageSize, onPage, known, most) => {
    expect(await mostPages(pageSize, onPage, known)).toBe(most);
  });
});
