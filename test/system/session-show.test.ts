/** Messages as they are told now: sanitized, stored nowhere. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installSessions, messagesOf } from '../support/session-platform.ts';

type Installation = Awaited<ReturnType<typeof installSessions>>;
let installation: Installation;
beforeEach(async () => {
  installation = await installSessions();
});
afterEach(() => installation[Symbol.asyncDispose]());

/** No database is needed: one that is not there is not missed. */
const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };

test('all messages of a session are printed, page after page, with their texts', async () => {
  const { platform, run } = installation;
  platform.sessions.set('s1', messagesOf('a', 'b', 'c'));
  const { code, stdout } = await run('sessions show s1', { ...nowhere, PAGE_SIZE: '2' });
  expect(code).toBe(0);
  expect(stdout).toContain('a  user  2026-03-09T09:00:00.000Z\n');
  expect(stdout).toContain('modelId: gpt-5.1-codex\n  text of b\n');
  expect(stdout.match(/text of/g)).toHaveLength(3);
  const { stdout: json } = await run('sessions show s1 --json', nowhere);
  expect(JSON.parse(json)).toEqual({ session_id: 's1', messages: messagesOf('a', 'b', 'c') });
});

test('one message is asked for alone', async () => {
  const { platform, run } = installation;
  platform.sessions.set('s1', messagesOf('a', 'b'));
  const { stdout } = await run('sessions show s1 b --json', nowhere);
  expect(JSON.parse(stdout)).toEqual({ session_id: 's1', messages: messagesOf('a', 'b').slice(1) });
  expect(platform.asked.at(-1)).toMatchObject({ session: 's1', message: 'b' });
});

test('what they say is sanitized: no secret, no control of a terminal, line breaks where they were', async () => {
  const { platform, run } = installation;
  const text = 'one\ntwo \u001b[31mred\u001b[0m key-of-the-tests ada@planted.example';
  platform.sessions.set('s1', [
    {
      id: 'a',
      content: [
        { type: 'text', text },
        { type: 'tool_use', input: { text } },
      ],
      ['x\u001b']: text,
    },
  ]);
  for (const option of ['', ' --json']) {
    const { stdout } = await run(`sessions show s1${option}`, nowhere);
    expect(stdout).toContain('red');
    for (const hidden of ['\u001b', 'key-of-the-tests', 'ada@planted.example'])
      expect(stdout).not.toContain(hidden);
  }
  expect((await run('sessions show s1', nowhere)).stdout).toContain('\n  one\n  two ');
});

test('a long text is printed, and not cut after some lines', async () => {
  const { platform, run } = installation;
  platform.sessions.set('s1', [{ id: 'a', content: [{ type: 'text', text: 'word '.repeat(5_000) }] }]);
  for (const option of ['', ' --json'])
    expect((await run(`sessions show s1${option}`, nowhere)).stdout).toContain('word '.repeat(4_999));
});

test.each([
  [404, 1, '404'],
  [403, 3, 'may not GET /api/v0/sessions/s1/messages'],
  [401, 3, 'API_KEY'],
])('an answer with status %i ends with %i, and says why', async (status, code, sentence) => {
  installation.platform.answer = () => ({ status, body: { title: 'x', detail: 'x', status } });
  const ended = await installation.run('sessions show s1', nowhere);
  expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(sentence)]);
});

test('pages that never end, and answers that are none, are errors', async () => {
  for (const body of [
    { messages: [{ id: 'a' }], pagination: { hasMore: true, nextCursor: '1' } },
    { messages: [], pagination: { hasMore: true } },
    { messages: {} },
  ]) {
    installation.platform.answer = () => ({ body });
    expect((await installation.run('sessions show s1', nowhere)).code).toBe(1);
  }
});

test('nothing is stored', async () => {
  const { platform, command, pool } = installation;
  platform.sessions.set('s1', messagesOf('a'));
  await command('sessions show s1');
  for (const table of [
    'etl.session',
    'etl.slice',
    'etl.run',
    'warehouse.dim_org',
    'warehouse.fact_session_message',
  ])
    expect((await pool.query(`select 1 from ${table}`)).rows, table).toEqual([]);
});
