import { beforeEach, describe, expect, it } from 'vitest';
import { messages, reports } from '../../support/made-up-sources.ts';
import { sharedTableLoading, sliceOf } from '../../support/table-loading.ts';

const loading = await sharedTableLoading();

const tables = ['fact_test_message', 'fact_test_block', 'bridge_test_tag', 'fact_test_result'];

beforeEach(async () => {
  for (const table of tables) await loading.query(`delete from warehouse.${table}`);
});

const session = sliceOf('messages', { session_id: 's, 1' }, 's, 1');

function message(id: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { id, role: 'user', createdAt: 1_770_000_000, content: [], ...changes };
}

async function stored(table: string, ...columns: string[]): Promise<unknown[][]> {
  const rows = await loading.query(
    `select ${columns.join(', ')} from warehouse.${table} order by ${columns.join(', ')}`,
  );
  return rows.map((row) => columns.map((column) => row[column.replace(/::.*/, '')]));
}

const tags = () => stored('bridge_test_tag', 'message_id', 'block_index', 'tag');
const blocks = () => stored('fact_test_block', 'message_id', 'block_index', 'block_type');

describe('keys that are values', () => {
  it('are inherited two levels below, text and place alike', async () => {
    const content = [{ type: 'a', tags: ['x', 'y'] }, { type: 'b' }, { type: 'c', tags: ['x'] }];
    await loading.load(messages, session, [
      [message('m,1', { content }), message('m2', { content: [{ type: 'd' }] })],
    ]);
    expect(await tags()).toEqual([
      ['m,1', 0, 'x'],
      ['m,1', 0, 'y'],
      ['m,1', 2, 'x'],
    ]);
    expect(await blocks()).toEqual([
      ['m,1', 0, 'a'],
      ['m,1', 1, 'b'],
      ['m,1', 2, 'c'],
      ['m2', 0, 'd'],
    ]);
  });

  it('find what vanished and what changed at every level', async () => {
    const with3 = [{ type: 'a', tags: ['x', 'y'] }, { type: 'b' }, { type: 'c' }];
    await loading.load(messages, session, [
      [message('m', { content: with3 }), message('gone', { content: with3 })],
    ]);
    const outcome = await loading.load(messages, session, [
      [message('m', { content: [{ type: 'a', tags: ['y', 'z'] }, { type: 'B' }] })],
    ]);
    expect(outcome).toMatchObject({
      inserted: 1,
      // The counts of the message, and block 1.
      updated: 2,
      tableRows: { fact_test_message: 1, fact_test_block: 2, bridge_test_tag: 2, fact_test_result: 0 },
    });
    expect(await tags()).toEqual([
      ['m', 0, 'y'],
      ['m', 0, 'z'],
    ]);
    expect(await blocks()).toEqual([
      ['m', 0, 'a'],
      ['m', 1, 'B'],
    ]);
  });

  it('tell slices apart by a scope that is text', async () => {
    const other = sliceOf('messages', { session_id: 's' }, 's');
    await loading.load(messages, session, [[message('m', { content: [{ type: 'a' }] })]]);
    await loading.load(messages, other, [[message('m')]]);
    const emptied = await loading.load(messages, session, [[]]);
    expect(emptied).toMatchObject({ deleted: 2, tableRows: { fact_test_message: 0 } });
    expect(await stored('fact_test_message', 'session_id', 'message_id')).toEqual([['s', 'm']]);
  });

  it('that come twice leave the last record with all rows below it, also across chunks', async () => {
    const early = message('m', { role: 'early', content: [{ type: 'a', tags: ['x'] }, { type: 'b' }] });
    const late = message('m', { role: 'late', content: [{ type: 'c' }] });
    for (const chunks of [[[early, late]], [[early], [late]], [[early, message('n')], [late]]]) {
      const { content } = await loading.load(messages, session, chunks);
      expect(await blocks()).toEqual([['m', 0, 'c']]);
      expect(await tags()).toEqual([]);
      expect(await stored('fact_test_message', 'message_id', 'role')).toContainEqual(['m', 'late']);
      expect(content.rejected.kept).toEqual([]);
      await loading.load(messages, session, [[]]);
    }
  });
});

it('rows that come twice are merged where a source says so, in one chunk or two: figures are added, the last text stays', async () => {
  const source = { ...reports, duplicates: 'sum' } as const;
  const all = sliceOf('reports', {}, 'all');
  const report = (changes: Record<string, unknown>) => ({
    reportId: '0190f5a0-7c3e-7abc-8def-0123456789ab',
    ...changes,
  });
  const records = [
    report({ calls: 1, cost: 0.1, model: { id: 'a,\\' }, apps: { 'x,1': { description: 'old', calls: 1 } } }),
    report({
      calls: 2,
      cost: 0.2,
      apps: { 'x,1': { description: 'new,\n', calls: 2 }, y: { description: 'null' } },
    }),
  ];
  for (const chunks of [[records], records.map((record) => [record])]) {
    await loading.load(source, all, chunks);
    expect(await stored('fact_test_report', 'calls::int', 'cost::text', 'model_id')).toEqual([
      [3, '0.3', 'a,\\'],
    ]);
    expect(await stored('fact_test_app', 'app_path', 'description', 'calls::int')).toEqual([
      ['x,1', 'new,\n', 3],
      ['y', 'null', null],
    ]);
    await loading.query('delete from warehouse.fact_test_report');
    await loading.query('delete from warehouse.fact_test_app');
  }
});

describe('lists side by side', () => {
  const results = () =>
    stored('fact_test_result', 'result_index', 'command', 'timeout', 'exit_code', 'is_quiet');
  const commands = [{ command: 'a', timeout: 1.5 }, { command: 'b', timeout: 2 }, { command: 'c' }];

  it.each<[string, Record<string, unknown>, unknown[][]]>([
    [
      'of which one is shorter',
      { commands, results: [{ exitCode: -1, isQuiet: true }, null] },
      [
        [0, 'a', 1.5, -1, true],
        [1, 'b', 2, null, null],
        [2, 'c', null, null, null],
      ],
    ],
    ['of which one is absent', { results: [{ exitCode: 0 }] }, [[0, null, null, 0, null]]],
    ['of which one is null', { commands: [{ command: 'a' }], results: null }, [[0, 'a', null, null, null]]],
    ['that are both empty', { commands: [], results: [] }, []],
    ['that are both absent', {}, []],
  ])('%s become rows by their places', async (_, lists, expected) => {
    const { content } = await loading.load(messages, session, [[message('m', lists)]]);
    expect(await results()).toEqual(expected);
    expect(content.rejected.kept).toEqual([]);
    expect(content.drift).toEqual([]);
  });

  it('of which one is no list keep the rows that they fed', async () => {
    await loading.load(messages, session, [[message('m', { commands })]]);
    const { content } = await loading.load(messages, session, [
      [message('m', { commands, results: 'none' })],
    ]);
    expect(await results()).toHaveLength(3);
    expect(content.rejected.kept).toMatchObject([
      { path: 'commands+results', reason: 'expected an array, got an array, "none"' },
    ]);
  });

  it('an entry of which one half is no object keeps its row; the others go', async () => {
    await loading.load(messages, session, [[message('m', { commands })]]);
    await loading.load(messages, session, [
      [message('m', { commands: [{ command: 'new' }], results: [{ exitCode: 0 }, 'broken'] })],
    ]);
    expect(await results()).toEqual([
      [0, 'new', null, 0, null],
      [1, 'b', 2, null, null],
    ]);
  });
});

describe('rows of what cannot be read stay', () => {
  const content = [{ type: 'a', tags: ['x', 'y'] }, { type: 'b', tags: ['x'] }, { type: 'c' }];
  const held = async () => ({ blocks: await blocks(), tags: await tags() });

  it('at their place in a list, with all below it', async () => {
    await loading.load(messages, session, [[message('m', { content }), message('n', { content })]]);
    const outcome = await loading.load(messages, session, [
      [message('m', { content: [{ type: 7 }, { type: 'b', tags: [] }] }), message('n', { content: [] })],
    ]);
    expect(outcome.content.rejected.kept).toMatchObject([{ path: 'content[]', payload: '{"type":7}' }]);
    expect(await held()).toEqual({
      blocks: [
        ['m', 0, 'a'],
        ['m', 1, 'b'],
      ],
      tags: [
        ['m', 0, 'x'],
        ['m', 0, 'y'],
      ],
    });
  });

  it('of a whole record, told by its text', async () => {
    const id = 'it\'s, "m" \\ {1}';
    await loading.load(messages, session, [[message(id, { content }), message('n', { content })]]);
    const before = await loading.query(
      `select * from warehouse.bridge_test_tag where message_id <> 'n' order by 1, 2, 3, 4, 5`,
    );
    await loading.load(messages, session, [[message(id, { createdAt: 'never' }), message('o')]]);
    expect(
      await loading.query(
        `select * from warehouse.bridge_test_tag where message_id <> 'o' order by 1, 2, 3, 4, 5`,
      ),
    ).toEqual(before);
    expect(await stored('fact_test_message', 'message_id')).toEqual([[id], ['o']]);
  });

  it('where a breakdown is missing that may not be, and go where it may', async () => {
    await loading.load(messages, session, [[message('m', { content })]]);
    const { content: found } = await loading.load(messages, session, [
      [message('m', { content: undefined })],
    ]);
    expect(found.drift).toMatchObject([{ kind: 'missing_field', path: 'content' }]);
    expect((await held()).tags).toHaveLength(3);
    await loading.load(messages, session, [
      [message('m', { content: [{ type: 'a' }, { type: 'b', tags: null }] })],
    ]);
    expect(await held()).toEqual({
      blocks: [
        ['m', 0, 'a'],
        ['m', 1, 'b'],
      ],
      tags: [],
    });
  });
});

it('a record above a mebibyte becomes the same rows, piece by piece', async () => {
  const many = Array.from({ length: 30_000 }, (_, index) => ({
    type: `t${index % 7}`,
    text: 'x'.repeat(40),
    ...(index % 1000 === 0 ? { tags: ['a', 'b'] } : {}),
  }));
  const results = many.map((_, index) => ({ exitCode: index }));
  await loading.load(messages, session, [
    [message('large', { content: many, results, commands: [{ command: 'c' }] })],
  ]);
  expect(
    await loading.query(`
      select block_count, char_count::int as char_count,
        (select max(block_index) from warehouse.fact_test_block) as last_block,
        (select count(*)::int from warehouse.bridge_test_tag) as tags,
        (select count(*)::int from warehouse.fact_test_result where exit_code = result_index) as results
      from warehouse.fact_test_message`),
  ).toEqual([{ block_count: 30_000, char_count: 1_200_000, last_block: 29_999, tags: 60, results: 30_000 }]);
});
