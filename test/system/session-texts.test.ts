/** Texts of sessions: stored nowhere unless somebody wants them, and gone when nobody does any more. */
import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openChunk } from '../../src/model/record-chunk.ts';
import { installSessions } from '../support/session-platform.ts';

type Installation = Awaited<ReturnType<typeof installSessions>>;
let installation: Installation;
beforeEach(async () => {
  installation = await installSessions();
});
afterEach(() => installation[Symbol.asyncDispose]());

/** Stands in every text that is planted. */
const mark = 'PLANTED';
const keep = { environment: { SESSION_TEXT: 'keep' } };

/** A text that says where it was planted. */
const text = (where: string) => `${mark} ${where} grün 🙂\n`;

/** A message with a text wherever one can stand, of whatever shape; all ids are plain. */
function plantedMessage(id: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const fields = (where: string) => ({
    [text(`name in ${where}`)]: text(`value in ${where}`),
    unknownText: text(where),
    unknownList: [text(where), { [text(where)]: text(where) }],
    unknownObject: { text: text(where), below: { id: text(where), [text(where)]: [text(where)] } },
  });
  return {
    id,
    role: 'tool',
    content: [
      { type: 'text', text: text('content'), id: text('block id'), ...fields('block') },
      { type: 'thinking', thinking: text('thinking'), signature: text('signature') },
      { type: text('block type'), input: { command: text('tool'), nested: { id: text('nested') } } },
      { type: 'tool_result', content: [{ type: 'text', text: text('result') }] },
    ],
    createdAt: 1_773_046_800_000,
    updatedAt: 1_773_046_800_000,
    parentId: 'parent',
    userMessageSource: 'cli_tui',
    visibility: 'both',
    openaiMessageId: text('openaiMessageId'),
    openaiPhase: text('openaiPhase'),
    openaiEncryptedContent: text('openaiEncryptedContent'),
    openaiReasoningId: text('openaiReasoningId'),
    openaiReasoningSummary: text('openaiReasoningSummary'),
    geminiThoughtSignature: text('geminiThoughtSignature'),
    chatCompletionReasoningField: text('chatCompletionReasoningField'),
    chatCompletionReasoningContent: text('chatCompletionReasoningContent'),
    isUserVisible: true,
    isError: true,
    modelId: 'gpt-5.1-codex',
    routerId: text('routerId'),
    reasoningEffort: 'high',
    hookEventName: 'PostToolUse',
    hookMatcher: 'Edit|Write',
    hookCommands: [{ command: text('command'), timeout: 60, ...fields('command') }],
    hookStatus: 'completed',
    hookResults: [
      {
        exitCode: 2,
        stdout: text('stdout'),
        stderr: text('stderr'),
        suppressOutput: true,
        ...fields('result'),
      },
    ],
    hookToolCallId: text('hookToolCallId'),
    hiddenFromUserViews: true,
    hookStartTime: 1_773_046_800_000,
    hookEndTime: 1_773_046_801_000,
    isParallelExecution: true,
    parallelGroupId: 'group',
    ...fields('message'),
    ...more,
  };
}

/** Messages that are loaded, and others that must be rejected, wholly or in part. */
function plant({ platform }: Installation): void {
  platform.sessions.set('s1', [
    plantedMessage('m1'),
    plantedMessage('m2', { role: text('role'), visibility: text('visibility'), hookStatus: text('status') }),
    plantedMessage('m3', { content: text('content that is a text') }),
    plantedMessage('m4', { content: [text('block that is a text'), [text('block that is a list')]] }),
    plantedMessage('m5', { hookResults: text('results'), hookCommands: { command: text('commands') } }),
    plantedMessage('m6', { createdAt: text('time'), isError: text('flag') }),
    plantedMessage('m7', { hookResults: [{ exitCode: text('exit code'), stdout: [text('stdout')] }] }),
    plantedMessage('m1', { content: [{ type: 'text', text: text('again') }] }),
  ]);
  platform.sessions.set('s2', [
    plantedMessage('m1'),
    ...Array.from({ length: 120 }, (_, index) => plantedMessage(`n${index}`)),
  ]);
  // A record that is none, and one that has no id.
  platform.sessions.set('s3', [plantedMessage('m1'), { ...plantedMessage('x'), id: undefined }]);
}

/** Wherever a planted text stands: rows of all tables, archived answers, files. */
async function found({ pool, home }: Installation): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema') and schemaname not like 'pg\\_temp%'
      union all
      select 'pg_catalog.pg_stats'
      union all
      select format('%I.%I', schemaname, viewname) from pg_views where schemaname = 'bi'`,
  );
  const places: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(
      `select t::text as row from ${name} as t where position($1 in t::text) > 0`,
      [mark],
    );
    places.push(...rows.map(({ row }) => `${name}: ${row.slice(0, 300)}`));
  }
  const { rows: chunks } = await pool.query<{ payload: Buffer }>('select payload from etl.raw_slice');
  for (const { payload } of chunks)
    for (const { bytes } of await openChunk(payload))
      if (bytes.includes(mark)) places.push(`archive: ${bytes.toString().slice(0, 300)}`);
  for (const file of await filesBelow(home))
    if ((await readFile(file)).includes(mark)) places.push(`file: ${file}`);
  return places;
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** What the facts say beside texts. */
async function figures({ pool }: Installation) {
  const { rows } = await pool.query(`
    select m.session_id, m.message_id, m.role, m.created_at, m.content_block_count, m.content_char_count, m.is_error,
      array(select (b.block_index, b.char_count) from warehouse.fact_session_content_block as b
        where b.session_id = m.session_id and b.message_id = m.message_id order by 1)::text as blocks,
      array(select (r.result_index, r.timeout_seconds, r.exit_code, r.stdout_char_count, r.stderr_char_count)
        from warehouse.fact_session_hook_result as r
        where r.session_id = m.session_id and r.message_id = m.message_id order by 1)::text as results
    from warehouse.fact_session_message as m order by 1, 2`);
  return rows;
}

const load = (changes?: typeof keep) => installation.command('sessions load s1 s2 s3 --force', changes);

describe('by default', () => {
  test('no text is stored anywhere: in no table, archive, file, log or dump', async () => {
    plant(installation);
    const { run, environment } = installation;
    await installation.command('sessions add s1 s2 s3');
    // What is received goes through files, and all that can be said is logged.
    const loud = { LOG_LEVEL: 'trace', LOG_FORMAT: 'json', MEMORY_BYTES: '0', CHUNK_BYTES: '4096' };
    const { code, stdout, stderr } = await run('nightly --json', loud);
    expect([code, stdout]).toEqual([0, expect.stringContaining('"succeeded"')]);
    expect(stdout + stderr).not.toContain(mark);
    expect(stdout + (await run('sessions load s1 --force')).stderr).not.toContain(mark);
    expect(await found(installation)).toEqual([]);
    const dumped = dumpOf(environment.DATABASE_URL);
    if (dumped !== undefined) expect(dumped).not.toContain(mark);
    // What was to be found was there.
    expect(await figures(installation)).toHaveLength(6 + 121 + 1);
    const { rows } = await installation.pool.query('select count(*)::integer from etl.rejected_row');
    expect(rows[0].count).toBeGreaterThan(5);
  });

  test.each([400, 403, 404, 500])(
    'nothing is repeated that the platform says beside a status of %i',
    async (status) => {
      const { platform, run } = installation;
      const body = { title: text('title'), detail: text('detail'), requestId: text('id'), status };
      platform.answer = () => ({ status, body });
      const loud = { LOG_LEVEL: 'trace', LOG_FORMAT: 'json', MAX_RETRIES: '1' };
      const { code, stdout, stderr } = await run('sessions load s1 --json', loud);
      expect(code).toBe(status === 403 ? 3 : 1);
      expect(stdout).toContain(String(status));
      expect(stdout + stderr).not.toContain(mark);
      expect(await found(installation)).toEqual([]);
    },
  );

  test('characters are counted as they are where texts are kept, and again by replay', async () => {
    plant(installation);
    expect((await load()).code).toBe(0);
    const none = await figures(installation);
    expect(none.some(({ content_char_count }) => Number(content_char_count) > 0)).toBe(true);
    await installation.pool.query(
      'truncate warehouse.fact_session_message, warehouse.fact_session_content_block, warehouse.fact_session_hook_result',
    );
    expect((await installation.command('replay')).code).toBe(0);
    expect(await figures(installation)).toEqual(none);
    expect((await load(keep)).code).toBe(0);
    expect(await figures(installation)).toEqual(none);
  });

  test('an answer with other texts of the same length changes nothing', async () => {
    const said = (text: string) => [{ id: 'm', content: [{ type: 'text', text }] }];
    installation.platform.sessions.set('s1', said('one'));
    await installation.command('sessions load s1');
    installation.platform.sessions.set('s1', said('two'));
    expect(await installation.command('sessions load s1')).toMatchObject({
      json: { slices: { unchanged: 1 } },
    });
    installation.platform.sessions.set('s1', said('three'));
    expect(await installation.command('sessions load s1')).toMatchObject({ json: { rows: { updated: 2 } } });
  });
});

describe('with SESSION_TEXT=keep', () => {
  test('texts and commands are stored, and in no view', async () => {
    plant(installation);
    await load(keep);
    const { rows } = await installation.pool.query(`
      select m.content_text, r.command from warehouse.fact_session_message as m
      join warehouse.fact_session_hook_result as r using (session_id, message_id)
      where session_id = 's2' and message_id = 'n0'`);
    expect(rows).toMatchObject([
      { content_text: expect.stringContaining(`${mark} content`), command: expect.stringContaining(mark) },
    ]);
    const places = await found(installation);
    expect(places.some((place) => place.startsWith('archive'))).toBe(true);
    expect(places.filter((place) => place.startsWith('bi.'))).toEqual([]);
  });

  test.each(['sessions load s2', 'nightly', 'replay'])(
    'and then without, "%s" removes the texts of all sessions',
    async (commandLine) => {
      plant(installation);
      await load(keep);
      const before = await figures(installation);
      // What the planner knows of a column are values in it.
      await installation.pool.query('analyze');
      expect((await found(installation)).filter((place) => place.startsWith('pg_catalog'))).not.toEqual([]);
      expect((await installation.command(commandLine)).code).toBe(0);
      expect(await found(installation)).toEqual([]);
      expect(await figures(installation)).toEqual(before);
      expect((await installation.command('replay')).code).toBe(0);
      expect(await found(installation)).toEqual([]);
      // And texts may be kept again, although the answers are those of the first time.
      await installation.command('sessions load s2', keep);
      const { rows } = await installation.pool.query(
        'select count(content_text)::integer as texts from warehouse.fact_session_message',
      );
      expect(rows).toEqual([{ texts: 121 }]);
    },
  );

  test('and then without, what the platform said of errors is removed', async () => {
    const { platform, command } = installation;
    platform.answer = () => ({ status: 403, body: { detail: text('detail'), status: 403 } });
    await command('sessions load s1', keep);
    expect((await found(installation)).join()).toContain('etl.run');
    await command('sessions load s1');
    expect(await found(installation)).toEqual([]);
  });

  test('an archived answer that cannot be read is removed with its texts', async () => {
    plant(installation);
    await load(keep);
    await installation.pool.query("update etl.raw_slice set payload = '\\x00' where slice_key = 's1'");
    expect((await installation.command('sessions load s2')).code).toBe(0);
    const { rows } = await installation.pool.query('select distinct slice_key from etl.raw_slice order by 1');
    expect(rows.map(({ slice_key }) => slice_key)).toEqual(['s2', 's3']);
    expect(await found(installation)).toEqual([]);
  });
});

/** A dump of the database; undefined where there is no program for it. */
function dumpOf(url: string): string | undefined {
  try {
    return execFileSync('pg_dump', ['--inserts', url], {
      encoding: 'latin1',
      maxBuffer: 2 ** 30,
      stdio: 'pipe',
    });
  } catch {
    return undefined;
  }
}
