import { describe, expect, test } from 'vitest';
import { type ListedMessage, message, messagePage } from '../../src/model/platform/session-messages.ts';
import { bodyAs, startOfTests, startWholePlatform } from './whole-platform.ts';

type Platform = Awaited<ReturnType<typeof startWholePlatform>>;

const pathOf = (session: number) => `/api/v0/sessions/session_${String(session).padStart(9, '0')}/messages`;

/** All messages of a session, page by page, and the last page. */
async function readAll(platform: Platform, path: string, query = '') {
  const all: ListedMessage[] = [];
  for (let cursor = ''; ; ) {
    const page = bodyAs(messagePage, await platform.get(`${path}?limit=50${query}${cursor}`));
    all.push(...page.messages);
    if (!page.pagination.hasMore) return { all, last: page.pagination };
    cursor = `&cursor=${encodeURIComponent(page.pagination.nextCursor ?? '')}`;
  }
}

describe('pages', () => {
  test.each([
    ['oldest', 'absent'],
    ['newest', 'empty'],
    ['mixed', 'repeated'],
  ])('give every message once: %s, a last cursor that is %s', async (order, lastCursor) => {
    await using platform = await startWholePlatform({ 'messages-order': order, 'last-cursor': lastCursor });
    const { all, last } = await readAll(platform, pathOf(1));
    expect(all.length).toBeGreaterThan(200);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const times = all.map(({ createdAt }) => createdAt);
    const ascending = times.toSorted((a, b) => a - b);
    if (order === 'oldest') expect(times).toEqual(ascending);
    else if (order === 'newest') expect(times).toEqual(ascending.toReversed());
    else expect([ascending, ascending.toReversed()]).not.toContainEqual(times);
    const said = { absent: undefined, empty: '', repeated: expect.stringMatching(/./) };
    expect(last.nextCursor).toEqual(Object.entries(said).find(([name]) => name === lastCursor)?.[1]);
  });

  test('have 20 messages where no limit is asked for', async () => {
    await using platform = await startWholePlatform();
    expect(bodyAs(messagePage, await platform.get(pathOf(1))).messages).toHaveLength(20);
  });

  test.each(['limit=0', 'limit=101', 'role=system', 'cursor=x', 'limit=5&limit=6'])(
    'are refused with %s',
    async (query) => {
      await using platform = await startWholePlatform();
      expect((await platform.get(`${pathOf(1)}?${query}`)).status).toBe(400);
    },
  );
});

describe('messages', () => {
  test('are of every role, those of a list filtered by three of them', async () => {
    await using platform = await startWholePlatform();
    const { all } = await readAll(platform, pathOf(1));
    const roles = new Set(all.map(({ role }) => role));
    expect(roles).toEqual(new Set(['system', 'user', 'assistant', 'tool']));
    for (const role of ['user', 'assistant', 'tool']) {
      const filtered = await readAll(platform, pathOf(1), `&role=${role}`);
      expect(filtered.all).toEqual(all.filter((one) => one.role === role));
    }
  });

  test('say their role by themselves, and in a list only where that is chosen', async () => {
    await using platform = await startWholePlatform({ 'listed-role': 'absent' });
    const { messages } = bodyAs(messagePage, await platform.get(pathOf(2)));
    for (const listed of messages) {
      expect(listed).not.toHaveProperty('role');
      const alone = bodyAs(message, await platform.get(`${pathOf(2)}/${listed.id}`));
      expect(alone).toEqual({ ...listed, role: expect.any(String) });
    }
  });

  test('have blocks of undocumented types unless texts alone are chosen', async () => {
    const types = async (choice: string) => {
      await using platform = await startWholePlatform({ 'content-blocks': choice });
      const { all } = await readAll(platform, pathOf(1));
      return new Set(all.flatMap(({ content }) => content.map(({ type }) => type)));
    };
    expect(await types('any')).toEqual(new Set(['text', 'thinking', 'tool_use', 'tool_result']));
    expect(await types('text')).toEqual(new Set(['text']));
  });

  test('tell of hooks that ended well, and of some that did not', async () => {
    await using platform = await startWholePlatform();
    const { all } = await readAll(platform, pathOf(1));
    const hooked = all.filter(({ hookEventName }) => hookEventName !== undefined);
    expect(new Set(hooked.map(({ hookStatus }) => hookStatus))).toEqual(new Set(['completed', 'error']));
    expect(hooked.at(-1)?.hookEventName).toBe('SessionEnd');
    for (const { hookStartTime = 0, hookEndTime = 0, hookResults } of hooked) {
      expect(hookEndTime).toBeGreaterThan(hookStartTime);
      expect(hookResults).toHaveLength(1);
    }
  });

  test('come as time goes on; a hook executes first, and its outcome follows', async () => {
    await using platform = await startWholePlatform();
    const { all } = await readAll(platform, pathOf(1));
    const at = all.findIndex(({ hookEventName }) => hookEventName !== undefined);
    const begun = all[at]?.createdAt ?? 0;
    platform.wait(begun - startOfTests);
    const { all: then } = await readAll(platform, pathOf(1));
    expect(then).toHaveLength(at + 1);
    expect(then[at]).toMatchObject({ id: all[at]?.id, hookStatus: 'executing', hookStartTime: begun });
    expect(then[at]).not.toHaveProperty('hookEndTime');
  });

  test('have their times in seconds where that is chosen', async () => {
    await using platform = await startWholePlatform({ 'time-unit': 'seconds' });
    const { messages } = bodyAs(messagePage, await platform.get(pathOf(1)));
    expect(messages[0]?.createdAt).toBeLessThan(startOfTests / 1_000);
  });
});

test('there is no session to come, no message of another session, no computer that is not there', async () => {
  await using platform = await startWholePlatform();
  const other = bodyAs(messagePage, await platform.get(pathOf(2))).messages[0]?.id;
  for (const path of [
    '/api/v0/sessions/mine/messages',
    pathOf(999_999),
    `${pathOf(1)}/${other}`,
    `${pathOf(1)}?computerId=none`,
    `${pathOf(2)}/${other}?computerId=none`,
  ])
    expect((await platform.get(path)).status, path).toBe(404);
  expect((await platform.get(`${pathOf(2)}/${other}?computerId=computer_000001`)).status).toBe(200);
});
