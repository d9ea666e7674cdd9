import { describe, expect, it } from 'vitest';
import type { KeptRows } from '../../src/flatten/flat-record.ts';
import { flattenOf } from '../../src/flatten/flatten.ts';
import { type FlatRecord, flattenRow } from '../support/flat-rows.ts';
import { gather } from '../support/gathered.ts';
import { type PayloadRow, sampleRow, sourceOf } from '../support/samples.ts';

/** What stays, by table: the parts of a natural key are joined by ` | `, the keys of a row by ` > `. */
function staying(endpoint: string, kept: readonly KeptRows[]): Record<string, string> {
  const { tables } = flattenOf(sourceOf(endpoint));
  return Object.fromEntries(
    kept.map(({ table, leadingKeys }) => [
      tables[table]?.name ?? '',
      leadingKeys.map((key) => key.replaceAll('\0', ' | ')).join(' > '),
    ]),
  );
}

async function flattened(endpoint: string, changes: PayloadRow): Promise<FlatRecord> {
  return flattenRow(endpoint, await sampleRow(endpoint, changes));
}

const user = (by_model: unknown): PayloadRow => ({ user_id: 'u', user_email: null, by_model });
const bad = 'not a figure';

describe('an entry that is rejected keeps what is held under its identity', () => {
  it.each<[string, string, PayloadRow, Record<string, string>]>([
    [
      'in a list',
      'tools',
      { by_tool: [{ tool: 'Read', invocations: bad }] },
      { fact_tool_usage_daily: 'Read' },
    ],
    [
      'with a key of several parts, absent ones included',
      'tools',
      { hooks_by_event: [{ event: 'Stop', command: 'x', count: bad }] },
      { fact_hook_daily: 'Stop |  | x' },
    ],
    [
      'in a map, in the spelling that is stored',
      'tools',
      { tool_autonomy_level_ratio: { auto_high: bad } },
      { fact_autonomy_level_daily: 'auto-high' },
    ],
    [
      'with all that is below it',
      'tokens',
      { by_user: [{ ...user([]), billable_tokens: bad }] },
      { fact_token_user_daily: 'u', fact_token_user_model_daily: 'u' },
    ],
    [
      'below another one, whose key it inherits',
      'tokens',
      { by_user: [user([{ model_id: 'm', model_tier: 't', input_tokens: bad }])] },
      { fact_token_user_model_daily: 'u > m | t' },
    ],
    [
      'with a part of its identity that is stored in place of an absent one',
      'tokens',
      { by_user: [user([{ model_id: 'm', input_tokens: bad }])] },
      { fact_token_user_model_daily: 'u > m | unknown' },
    ],
  ])('%s', async (_, endpoint, changes, expected) => {
    const { kept, keptForGood, rejected } = await flattened(endpoint, changes);
    expect(rejected).toHaveLength(1);
    expect(staying(endpoint, kept)).toEqual(expected);
    expect(keptForGood).toEqual([]);
  });
});

describe('an entry whose identity cannot be read keeps all that is held below its parent', () => {
  it.each<[string, string, PayloadRow, Record<string, string>]>([
    ['in a list', 'tools', { by_tool: [{ invocations: 1 }] }, { fact_tool_usage_daily: '' }],
    [
      'with one part of several',
      'tools',
      { hooks_by_event: [{ event: 7, matcher: 'm', command: 'c', count: 1 }] },
      { fact_hook_daily: '' },
    ],
    [
      'with all that is below it',
      'tokens',
      { by_user: [{ ...user([]), user_id: 7 }] },
      { fact_token_user_daily: '', fact_token_user_model_daily: '' },
    ],
    [
      'below another one',
      'tokens',
      { by_user: [user([{ model_id: null, model_tier: 't' }])] },
      { fact_token_user_model_daily: 'u' },
    ],
    ['that is no text', 'users', { languages: ['Go', 7] }, { bridge_user_language_daily: 'user_ada' }],
    ['that is no object', 'tools', { by_tool: [null] }, { fact_tool_usage_daily: '' }],
  ])('%s', async (_, endpoint, changes, expected) => {
    const { kept, keptForGood, rejected } = await flattened(endpoint, changes);
    expect(rejected).toHaveLength(1);
    expect(staying(endpoint, kept)).toEqual(expected);
    expect(keptForGood).toEqual([]);
  });
});

describe('a record that is rejected as a whole keeps for good', () => {
  it('what is held under its identity', async () => {
    const { keptForGood, kept, rows } = await flattened('users', { sessions: bad });
    expect(staying('users', keptForGood)).toEqual({
      fact_user_daily: 'user_ada',
      bridge_user_language_daily: 'user_ada',
    });
    expect(kept).toEqual([]);
    expect(rows.flat()).toEqual([]);
  });

  it.each([{ user_id: undefined }, { user_id: 7 }])(
    'everything of its slice when it has no identity: %o',
    async (changes) => {
      const { keptForGood } = await flattened('users', changes);
      expect(staying('users', keptForGood)).toEqual({ fact_user_daily: '', bridge_user_language_daily: '' });
    },
  );

  it('everything of its slice when it is the only one of it, or is none at all', async () => {
    const tables = flattenOf(sourceOf('tokens')).tables.map(({ name }) => [name, '']);
    const all = Object.fromEntries(tables);
    expect(staying('tokens', (await flattened('tokens', { input_tokens: bad })).keptForGood)).toEqual(all);
    expect(staying('tokens', flattenRow('tokens', 'nonsense').keptForGood)).toEqual(all);
  });

  it('the same when it is set aside for another reason, whatever is in it', async () => {
    const kept: KeptRows[] = [];
    const sink = { keptForGood: (rows: KeptRows) => void kept.push(rows) };
    const { reject } = flattenOf(sourceOf('users'));
    const ignored = () => undefined;
    const others = {
      row: () => true,
      kept: ignored,
      observed: ignored,
      rejected: ignored,
      drifted: ignored,
    };
    reject(await sampleRow('users'), 'of no day', { ...others, ...sink });
    expect(staying('users', kept)).toEqual({
      fact_user_daily: 'user_ada',
      bridge_user_language_daily: 'user_ada',
    });
  });
});

describe('what stays', () => {
  const entries = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ tool: `t${index}`, invocations: bad }));
  const kept = async (by_tool: unknown) =>
    gather('tools', await sampleRow('tools', { by_tool })).takeRows().kept;

  it('is told once, however often it is met', async () => {
    expect(await kept(Array(1_000).fill(7))).toEqual([{ table: 1, leadingKeys: [] }]);
    expect(await kept([...entries(3), ...entries(3)])).toHaveLength(3);
  });

  it('is the whole table where too many rows of it stay to tell them apart', async () => {
    expect(await kept(entries(20_000))).toHaveLength(20_000);
    const rows = await kept(entries(20_100));
    expect(rows).toHaveLength(20_001);
    expect(rows).toContainEqual({ table: 1, leadingKeys: [] });
  });
});
