/** What analysts see of sessions, against figures of their own. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installSessions } from '../support/session-platform.ts';

type Installation = Awaited<ReturnType<typeof installSessions>>;
let installation: Installation;
beforeEach(async () => {
  installation = await installSessions();
});
afterEach(() => installation[Symbol.asyncDispose]());

const at = (time: string) => Date.parse(`2026-03-${time}Z`);
const texts = (...parts: string[]) => parts.map((text) => ({ type: 'text', text }));
const hook = (hookEventName: string, ...exitCodes: (number | undefined)[]) => ({
  hookEventName,
  hookStatus: 'completed',
  hookResults: exitCodes.map((exitCode) => ({ exitCode })),
});

async function load(): Promise<void> {
  const { platform, command } = installation;
  platform.sessions.set('s1', [
    { id: 'a', role: 'user', content: texts('hello'), createdAt: at('09T23:59:59') },
    {
      id: 'b',
      role: 'assistant',
      content: texts('a', 'bc'),
      createdAt: at('10T00:00:00'),
      modelId: 'm1',
      isError: true,
    },
    {
      id: 'c',
      role: 'assistant',
      content: [],
      createdAt: at('10T00:00:10'),
      modelId: 'm2',
      hiddenFromUserViews: true,
    },
    { id: 'd', role: 'tool', content: [], createdAt: at('10T00:01:00'), ...hook('PostToolUse', 0, 2, 2, 1) },
    { id: 'e', content: [], createdAt: at('10T00:01:01'), ...hook('Stop', undefined) },
  ]);
  platform.sessions.set('s2', [
    { id: 'a', role: 'assistant', content: texts('🙂'), createdAt: at('10T12:00:00'), modelId: 'm1' },
    {
      id: 'b',
      role: 'system',
      content: [],
      createdAt: at('10T12:00:01'),
      hookEventName: 'Stop',
      hookStatus: 'executing',
    },
  ]);
  platform.sessions.set('s3', []);
  await command('sessions load s1 s2 s3');
}

const view = async (text: string) => (await installation.pool.query(text)).rows;

test('messages are counted by UTC day, model and role', async () => {
  await load();
  await installation.pool.query("set timezone to 'Asia/Tokyo'");
  expect(
    await view(`select org_id, usage_date::text as day, model_id, role, sessions::integer, messages::integer,
      errors::integer, hidden::integer, characters::integer from bi.session_messages_by_day order by 2, 3, 4`),
  ).toEqual(
    [
      ['2026-03-09', null, 'user', 1, 1, 0, 0, 5],
      ['2026-03-10', 'm1', 'assistant', 2, 2, 1, 0, 4],
      ['2026-03-10', 'm2', 'assistant', 1, 1, 0, 1, 0],
      ['2026-03-10', null, 'system', 1, 1, 0, 0, 0],
      ['2026-03-10', null, 'tool', 1, 1, 0, 0, 0],
      ['2026-03-10', null, null, 1, 1, 0, 0, 0],
    ].map(([day, model_id, role, sessions, messages, errors, hidden, characters]) => ({
      org_id: 'org_test',
      day,
      model_id,
      role,
      sessions,
      messages,
      errors,
      hidden,
      characters,
    })),
  );
});

test('results of hooks are counted by day, event and status, failures by exit code', async () => {
  await load();
  expect(
    await view(`select usage_date::text as day, event, status, results::integer, failures::integer,
      failures_by_exit_code from bi.session_hooks order by 2, 3`),
  ).toEqual([
    {
      day: '2026-03-10',
      event: 'PostToolUse',
      status: 'completed',
      results: 4,
      failures: 3,
      failures_by_exit_code: { 1: 1, 2: 2 },
    },
    {
      day: '2026-03-10',
      event: 'Stop',
      status: 'completed',
      results: 1,
      failures: 0,
      failures_by_exit_code: {},
    },
    {
      day: '2026-03-10',
      event: 'Stop',
      status: 'executing',
      results: 0,
      failures: 0,
      failures_by_exit_code: {},
    },
  ]);
});

test('each registered session has its row, also without messages', async () => {
  await load();
  expect(
    await view(`select session_id, first_message_at, last_message_at, messages::integer, user_messages::integer,
      assistant_messages::integer, tool_messages::integer, system_messages::integer, errors::integer, characters::integer,
      models, hook_failures::integer, duration_seconds, ended_at, finished_at from bi.sessions order by 1`),
  ).toEqual([
    {
      session_id: 's1',
      first_message_at: new Date(at('09T23:59:59')),
      last_message_at: new Date(at('10T00:01:01')),
      messages: 5,
      user_messages: 1,
      assistant_messages: 2,
      tool_messages: 1,
      system_messages: 0,
      errors: 1,
      characters: 8,
      models: ['m1', 'm2'],
      hook_failures: 3,
      duration_seconds: 62,
      ended_at: null,
      finished_at: null,
    },
    {
      session_id: 's2',
      first_message_at: new Date(at('10T12:00:00')),
      last_message_at: new Date(at('10T12:00:01')),
      messages: 2,
      user_messages: 0,
      assistant_messages: 1,
      tool_messages: 0,
      system_messages: 1,
      errors: 0,
      characters: 1,
      models: ['m1'],
      hook_failures: 0,
      duration_seconds: 1,
      ended_at: null,
      finished_at: null,
    },
    {
      session_id: 's3',
      first_message_at: null,
      last_message_at: null,
      messages: 0,
      user_messages: 0,
      assistant_messages: 0,
      tool_messages: 0,
      system_messages: 0,
      errors: 0,
      characters: 0,
      models: [],
      hook_failures: 0,
      duration_seconds: null,
      ended_at: null,
      finished_at: null,
    },
  ]);
});

test('verify finds nothing to complain of, and a message that somebody removed', async () => {
  await load();
  expect(await installation.command('verify')).toMatchObject({ code: 0, json: { contradictions: [] } });
  await installation.pool.query("delete from warehouse.fact_session_message where message_id = 'c'");
  const { json } = await installation.command('verify');
  expect(JSON.stringify(json)).toContain('rows of fact_session_message of slice s1');
});
