/** A session of the simulated platform, from its end to its last reading, whatever the document leaves open. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { hookCommand } from '../../src/pipeline/sessions/hook-command.ts';
import { sessionsOf } from '../../src/simulator/sessions.ts';
import { startOfTests, startWholePlatform } from '../simulator/whole-platform.ts';
import { commandInProcess } from '../support/commands-in-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let home: string;
beforeEach(async () => {
  database = await createTestDatabase();
  home = await mkdtemp(join(tmpdir(), 'usage-etl-simulated-'));
});
afterEach(async () => {
  await database.drop();
  await rm(home, { recursive: true, force: true });
});

const id = 'session_000000001';
/** What the platform has: the session is long over. */
const messages = sessionsOf({ seed: 3, clock: () => startOfTests }, day('2026-01-14')).messages(id) ?? [];
const characters = (text = '') => [...text].length;
const expected = messages
  .map(({ id: message_id, content, hookResults = [] }) => ({
    message_id,
    blocks: content.length,
    characters: content.reduce((sum, { text }) => sum + characters(text), 0),
    output: hookResults.reduce((sum, { stdout, stderr }) => sum + characters(stdout) + characters(stderr), 0),
  }))
  .sort((a, b) => (a.message_id < b.message_id ? -1 : 1));

test.each([
  {},
  { 'messages-order': 'newest', 'last-cursor': 'repeated', 'listed-role': 'absent' },
  { 'messages-order': 'mixed', 'last-cursor': 'empty', 'time-unit': 'seconds' },
])('with %o every message is there, once, with its counts', async (choices) => {
  await using platform = await startWholePlatform(choices);
  const spool = join(home, 'spool');
  const shell = spawn('sh', ['-c', hookCommand(spool)], { stdio: ['pipe', 'inherit', 'inherit'] });
  shell.stdin.end(
    JSON.stringify({ hook_event_name: 'SessionEnd', session_id: id, cwd: '/', reason: 'error' }),
  );
  await once(shell, 'close');
  const environment = {
    API_BASE_URL: platform.url,
    API_KEY: 'key',
    DATABASE_URL: database.url,
    DATA_DIR: join(home, 'data'),
    SESSION_SPOOL_DIR: spool,
    REQUESTS_PER_SECOND: '1000',
    PAGE_SIZE: '50',
  };
  const load = (commandLine: string) =>
    commandInProcess({ environment }, commandLine, { clock: () => startOfTests });
  expect(await load('sessions load')).toMatchObject({ code: 0, json: { slices: { planned: 1, loaded: 1 } } });
  const { rows } = await database.pool.query(`
    select m.message_id, m.content_block_count::integer as blocks, m.content_char_count::integer as characters,
      coalesce((select sum(r.stdout_char_count + r.stderr_char_count) from warehouse.fact_session_hook_result as r
        where r.message_id = m.message_id), 0)::integer as output
    from warehouse.fact_session_message as m`);
  expect(rows.sort((a, b) => (a.message_id < b.message_id ? -1 : 1))).toEqual(expected);
  const { rows: sessions } = await database.pool.query(
    "select session_id, date_trunc('second', first_message_at) as first_message_at, finished_at is not null as finished from bi.sessions",
  );
  expect(sessions).toEqual([
    {
      session_id: id,
      first_message_at: new Date(1_000 * Math.floor((messages[0]?.createdAt ?? 0) / 1_000)),
      finished: true,
    },
  ]);
  // There is no session to read any more.
  expect(await load('sessions load')).toMatchObject({ code: 0, json: { slices: { planned: 0 } } });
});
