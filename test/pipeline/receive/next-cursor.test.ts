/** The cursor of the next page is followed, whatever the answer says beside it. */
import { afterEach, describe, expect, it } from 'vitest';
import { day } from '../../../src/model/day.ts';
import { UnexpectedAnswerError } from '../../../src/model/errors.ts';
import { organizationId } from '../../simulator/platform.ts';
import { sendJson, startAnsweringServer } from '../../support/answering-server.ts';
import { openClient } from '../../support/platform-access.ts';
import { answers, type Fields, recordsOf } from '../../support/read-pages.ts';

const opened: AsyncDisposable[] = [];
const asked = day('2026-03-09');

afterEach(async () => {
  for (const open of opened.splice(0).reverse()) await open[Symbol.asyncDispose]();
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
    for await (const page of answers(client, 'users', [asked])) {
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
