/** Sessions from their registration to the last reading: by arguments, by standard input, by the hook. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hookConfiguration } from '../../src/pipeline/sessions/hook-command.ts';
import { programFile, startProgram } from '../support/program.ts';
import { installSessions, messagesOf } from '../support/session-platform.ts';

type Installation = Awaited<ReturnType<typeof installSessions>>;
let installation: Installation;
beforeEach(async () => {
  installation = await installSessions();
});
afterEach(() => installation[Symbol.asyncDispose]());

const rowsOf = async (text: string, values: readonly unknown[] = []) =>
  (await installation.pool.query(text, [...values])).rows;
const messageIds = async (session: string) =>
  (
    await rowsOf(
      'select message_id from warehouse.fact_session_message where session_id = $1 order by message_id',
      [session],
    )
  ).map(({ message_id }) => message_id);
const sliceOf = async (session: string) =>
  (
    await rowsOf("select * from etl.slice where endpoint = 'session-messages' and slice_key = $1", [session])
  )[0];
const register = () =>
  rowsOf(
    'select session_id, ended_at is not null as ended, finished_at is not null as finished from etl.session order by 1',
  );
const ago = (days: number) =>
  rowsOf(
    'update etl.session set registered_at = registered_at - make_interval(days => $1), ended_at = ended_at - make_interval(days => $1)',
    [days],
  );

/** A session ends: the agent runs the hook that the program prints. */
async function endSession(id: string): Promise<void> {
  const { json } = await installation.command('sessions hook');
  expect(json).toEqual(hookConfiguration(installation.spool));
  const [
    {
      hooks: [hook],
    },
  ] = (json as { SessionEnd: [{ hooks: [{ command: string }] }] }).SessionEnd;
  const shell = spawn('sh', ['-c', hook.command], { stdio: ['pipe', 'inherit', 'inherit'] });
  shell.stdin.end(
    JSON.stringify({ hook_event_name: 'SessionEnd', session_id: id, cwd: '/', reason: 'other' }),
  );
  await once(shell, 'close');
}

describe('a session', () => {
  test('is read from its registration on, page after page, until it brings nothing new', async () => {
    const { platform, command } = installation;
    platform.sessions.set('s1', messagesOf(...Array.from({ length: 7 }, (_, index) => `m${index}`)));
    expect(await command('sessions add s1')).toEqual({
      code: 0,
      json: { registered: 1, already_registered: 0 },
    });
    expect(await command('sessions add s1 s1')).toMatchObject({
      json: { registered: 0, already_registered: 1 },
    });
    expect(platform.asked).toEqual([]);
    const changes = { environment: { PAGE_SIZE: '3' } };
    expect(await command('nightly', changes)).toMatchObject({ code: 0, json: { status: 'succeeded' } });
    expect(platform.asked.map(({ cursor, limit }) => [cursor, limit])).toEqual([
      [undefined, 3],
      ['3', 3],
      ['6', 3],
    ]);
    expect(await messageIds('s1')).toHaveLength(7);
    // It grows, and some of it changes.
    platform.sessions.set('s1', [
      ...messagesOf('m0', 'm1', 'm2'),
      ...messagesOf('m3', 'm4', 'm5', 'm6', 'm7', 'm8'),
    ]);
    await command('sessions load', changes);
    expect(await messageIds('s1')).toHaveLength(9);
    expect(await register()).toEqual([{ session_id: 's1', ended: false, finished: false }]);
    await ago(4);
    await rowsOf("update etl.slice set loaded_at = loaded_at - interval '4 days'");
    await command('nightly');
    expect(await register()).toEqual([{ session_id: 's1', ended: false, finished: true }]);
    platform.asked.length = 0;
    expect(await command('nightly')).toMatchObject({ code: 0 });
    expect(platform.asked).toEqual([]);
    // Who names it wants it all the same.
    platform.sessions.set('s1', messagesOf('m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8', 'm9'));
    expect(await command('sessions load s1')).toMatchObject({ json: { slices: { loaded: 1 } } });
    expect(await messageIds('s1')).toHaveLength(10);
  });

  test('that a hook told of is read once more, whole, and then no more', async () => {
    const { platform, command, spool } = installation;
    platform.sessions.set('s1', messagesOf('a'));
    await command('sessions add s1');
    await command('nightly');
    platform.sessions.set('s1', messagesOf('a', 'b'));
    await endSession('s1');
    await endSession('s2');
    platform.sessions.set('s2', messagesOf('c'));
    platform.answer = ({ session }) => (session === 's1' ? { status: 500, body: {} } : undefined);
    expect(await command('nightly')).toMatchObject({ code: 1, json: { status: 'partial' } });
    expect(await readdir(spool)).toEqual([]);
    // What could not be read is not finished.
    expect(await register()).toEqual([
      { session_id: 's1', ended: true, finished: false },
      { session_id: 's2', ended: true, finished: true },
    ]);
    platform.answer = () => undefined;
    platform.asked.length = 0;
    expect(await command('nightly')).toMatchObject({ code: 0 });
    expect(platform.asked.map(({ session }) => session)).toEqual(['s1']);
    expect([await messageIds('s1'), await messageIds('s2')]).toEqual([['a', 'b'], ['c']]);
    expect(await register()).toMatchObject([{ finished: true }, { finished: true }]);
    // It goes on, and ends again.
    platform.sessions.set('s2', messagesOf('c', 'd'));
    await endSession('s2');
    await command('sessions load');
    expect(await messageIds('s2')).toEqual(['c', 'd']);
    expect(await register()).toMatchObject([{ finished: true }, { finished: true }]);
  });

  test('that the platform does not know fails, for LOOKBACK_DAYS days', async () => {
    const { platform, command } = installation;
    await command('sessions add unknown');
    expect(await command('nightly')).toMatchObject({
      code: 1,
      json: { status: 'partial', slices: { failed: 1 } },
    });
    expect(await sliceOf('unknown')).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('404'),
    });
    expect((await command('status --check')).code).toBe(1);
    await ago(3);
    expect(await command('nightly')).toMatchObject({ code: 1 });
    expect(await register()).toEqual([{ session_id: 'unknown', ended: false, finished: true }]);
    expect(await sliceOf('unknown')).toMatchObject({ status: 'failed' });
    platform.asked.length = 0;
    expect(await command('nightly')).toMatchObject({ code: 0, json: { status: 'succeeded' } });
    expect(platform.asked).toEqual([]);
  });

  test('that cannot be read is not finished, however long that lasts', async () => {
    const { platform, command } = installation;
    platform.answer = () => ({ status: 503, body: {} });
    await command('sessions add s1');
    await ago(30);
    await command('nightly');
    expect(await register()).toMatchObject([{ finished: false }]);
  });

  test('that vanishes, or shrinks to half, keeps what was loaded', async () => {
    const { platform, command } = installation;
    const all = Array.from({ length: 50 }, (_, index) => `m${index}`);
    platform.sessions.set('s1', messagesOf(...all));
    await command('sessions load s1');
    platform.sessions.delete('s1');
    expect(await command('nightly')).toMatchObject({ code: 1 });
    expect(await sliceOf('s1')).toMatchObject({
      status: 'loaded',
      last_error: expect.stringContaining('404'),
    });
    platform.sessions.set('s1', messagesOf('m0'));
    expect(await command('nightly')).toMatchObject({ code: 0, json: { slices: { refused: 1 } } });
    expect(await messageIds('s1')).toHaveLength(50);
    expect(await rowsOf("select kind from etl.drift where endpoint = 'session-messages'")).toEqual([
      { kind: 'shrunk' },
    ]);
    expect(await register()).toMatchObject([{ finished: false }]);
    expect(await command('sessions load s1 --force --allow-empty')).toMatchObject({ code: 0 });
    expect(await messageIds('s1')).toEqual(['m0']);
  });

  test('without messages is empty', async () => {
    const { platform, command } = installation;
    platform.sessions.set('s1', []);
    expect(await command('sessions load s1')).toMatchObject({ code: 0, json: { slices: { empty: 1 } } });
    expect(await sliceOf('s1')).toMatchObject({ status: 'empty' });
  });

  test('may have any id', async () => {
    const { platform, command, pool } = installation;
    const odd = `ü/🙂?#%2e&${'x'.repeat(1_500)}`;
    platform.sessions.set(odd, messagesOf('a'));
    expect(await command(`sessions load ${odd}`)).toMatchObject({ code: 0 });
    expect(await messageIds(odd)).toEqual(['a']);
    expect((await pool.query('select session_id from etl.session')).rows).toEqual([{ session_id: odd }]);
    for (const none of ['.', '..', 'x'.repeat(2_001)])
      await expect(command(`sessions load ${none}`)).rejects.toThrow('expected the id of a session');
  });
});

describe('pages', () => {
  const page = (ids: readonly string[], pagination: unknown) => ({
    body: { messages: messagesOf(...ids), pagination },
  });

  test('may come twice, and overlap', async () => {
    const { platform, command } = installation;
    const pages = [
      page(['a', 'b'], { hasMore: true, nextCursor: '1' }),
      page(['a', 'b'], { hasMore: true, nextCursor: '2' }),
      page(['c', 'b', 'd'], { hasMore: false, nextCursor: '' }),
    ];
    platform.answer = ({ cursor }) => pages[Number(cursor ?? 0)];
    expect(await command('sessions load s1')).toMatchObject({ code: 0 });
    expect(await messageIds('s1')).toEqual(['a', 'b', 'c', 'd']);
  });

  test.each([
    ['that name the same cursor again', () => page(['a'], { hasMore: true, nextCursor: '1' })],
    [
      'that bring nothing new',
      (number: number) => page(['a'], { hasMore: true, nextCursor: String(number) }),
    ],
    ['that are empty', (number: number) => page([], { hasMore: true, nextCursor: String(number) })],
    ['that name no next one', () => page(['a'], { hasMore: true })],
    ['without pagination', () => page(['a'], undefined)],
  ])('%s make the session fail, and nothing is lost', async (_, answer) => {
    const { platform, command } = installation;
    platform.sessions.set('s1', messagesOf('a', 'b'));
    await command('sessions load s1');
    platform.answer = () => answer(platform.asked.length);
    expect(await command('sessions load')).toMatchObject({ code: 1, json: { slices: { failed: 1 } } });
    expect(await messageIds('s1')).toEqual(['a', 'b']);
  });
});

describe('nightly', () => {
  test('asks for no session where none is registered', async () => {
    const { platform, command } = installation;
    const { code, json } = await command('nightly');
    expect([code, platform.asked]).toEqual([0, []]);
    expect(json).toMatchObject({ status: 'succeeded' });
    expect(JSON.stringify(json)).not.toContain('session');
  });

  test('leaves sessions out where it is told which endpoints to read, or where the key may not read them', async () => {
    const { platform, command } = installation;
    platform.answer = () => ({ status: 403, body: {} });
    await command('sessions add s1 s2 s3');
    expect(await command('nightly --endpoints tokens')).toMatchObject({ code: 0 });
    expect(platform.asked).toEqual([]);
    const { code, json } = await command('nightly', { environment: { MAX_CONCURRENCY: '1' } });
    expect([code, json]).toMatchObject([0, { status: 'succeeded', slices: { failed: 0 } }]);
    expect(platform.asked.length).toBeLessThan(4);
    expect(await rowsOf("select 1 from etl.slice where endpoint = 'session-messages'")).toEqual([]);
    expect((await command('sessions load')).code).toBe(3);
  });

  test('reads the others where one session may not be read', async () => {
    const { platform, command } = installation;
    for (const id of ['s1', 's3']) platform.sessions.set(id, messagesOf('a'));
    platform.answer = ({ session }) => (session === 's2' ? { status: 403, body: {} } : undefined);
    await command('sessions add s3');
    await command('sessions add s1 s2');
    // The one that is refused is asked for before s3, which was registered earlier.
    expect(await command('nightly', { environment: { MAX_CONCURRENCY: '1' } })).toMatchObject({ code: 0 });
    expect(platform.asked.map(({ session }) => session)).toEqual(['s1', 's2', 's3']);
    expect([await messageIds('s1'), await messageIds('s3')]).toEqual([['a'], ['a']]);
  });

  test('goes on without a spool that cannot be read, and tells of files that hold no id', async () => {
    const { run, spool } = installation;
    await mkdir(spool);
    await writeFile(join(spool, 'broken.session'), 'no id');
    const { code, stderr } = await run('nightly');
    expect([code, stderr]).toEqual([0, expect.stringContaining('broken.session')]);
    expect(await readdir(spool)).toEqual(['broken.session.unreadable']);
    const file = await run('nightly', { SESSION_SPOOL_DIR: join(spool, 'broken.session.unreadable') });
    expect([file.code, file.stderr]).toEqual([
      0,
      expect.stringContaining('SESSION_SPOOL_DIR cannot be read'),
    ]);
  });
});

test('a file in the spool that cannot be read holds up no other', async () => {
  const { platform, command, spool } = installation;
  platform.sessions.set('s1', messagesOf('a'));
  await mkdir(spool);
  // Neither leads to a file.
  await symlink(join(spool, 'a.session'), join(spool, 'a.session'));
  await symlink(join(spool, 'nowhere'), join(spool, 'z.session'));
  await endSession('s1');
  expect(await command('sessions load')).toMatchObject({ code: 0, json: { slices: { loaded: 1 } } });
  expect(await readdir(spool)).toEqual(['a.session', 'z.session']);
});

describe('whose sessions they are', () => {
  test('is known from the warehouse where the key may not read analytics', async () => {
    const { platform, command } = installation;
    platform.sessions.set('s1', messagesOf('a'));
    platform.analytics = 403;
    expect((await command('sessions add s1')).code).toBe(3);
    expect((await command('sessions load s1')).code).toBe(3);
    platform.analytics = 200;
    await command('nightly');
    platform.analytics = 403;
    expect(await command('sessions add s1')).toMatchObject({ code: 0 });
    expect(await command('sessions load')).toMatchObject({ code: 0 });
    expect(await rowsOf('select org_id from bi.sessions where messages = 1')).toEqual([
      { org_id: 'org_test' },
    ]);
    expect((await command('nightly')).code).toBe(3);
  });
});

test('ids come from standard input, a line each; nothing is registered where one is wrong', async () => {
  const { environment } = installation;
  const add = async (input: string) => {
    const started = startProgram(
      programFile,
      ['sessions', 'add', '-', '--json'],
      environment,
      undefined,
      input,
    );
    return started.ended;
  };
  const wrong = await add('s1\n..\ns2\n.\n');
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/line 2: [\s\S]*line 4: /) });
  expect(await register()).toEqual([]);
  expect((await add('\n \n')).code).toBe(2);
  const { code, stdout } = await add('\uFEFFs1\r\n\n  s2 \ns1');
  expect([code, JSON.parse(stdout)]).toEqual([0, { registered: 2, already_registered: 0 }]);
  expect((await register()).map(({ session_id }) => session_id)).toEqual(['s1', 's2']);
});
