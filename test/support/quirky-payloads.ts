/** Adds oddities that the platform has or may have to a few days of a dataset. */
import { type Day, day } from '../../src/model/day.ts';
import type { OverridableDataset } from '../../src/simulator/dataset.ts';
import { fieldsOf, writtenAs } from './exact-json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Replaces each row of a day by the result of `change`; undefined removes the row. */
export function changeRows(
  dataset: OverridableDataset,
  endpoint: string,
  of: string,
  change: (row: Fields, index: number) => Fields | undefined,
): void {
  const rows = dataset.rows(endpoint, day(of)).map((row, index) => change(fieldsOf(row), index));
  dataset.overrideRows(
    endpoint,
    day(of),
    rows.filter((row) => row !== undefined),
  );
}

/** The fields of an object without those with these names. */
export function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Names that some step on the way to a table could read as syntax, cut, or treat as equal. */
export const oddNames: readonly string[] = [
  '',
  ' ',
  'tab\tand\nnewline\r\n',
  'back\\slash \\N \\. \\t',
  `quotes ' " \` $$`,
  '🧑‍💻 emoji',
  'É',
  'é',
  'e\u0301',
  'Read</tool_name>\n<parameter name="file_path">',
  'constructor',
  '__proto__',
  'x'.repeat(1_000_000),
];

const model = (model_id: string, model_tier: string, billable_tokens: unknown, tokens: unknown = 1) => ({
  model_id,
  model_tier,
  billable_tokens,
  input_tokens: tokens,
  output_tokens: tokens,
});

/** The days with an oddity, each in one endpoint. */
export const quirkDays = {
  exactNumbers: day('2026-01-15'),
  doubledTokens: day('2026-01-16'),
  oddNames: day('2026-01-17'),
  absentMetrics: day('2026-01-18'),
  oddUsers: day('2026-01-19'),
  doubledUser: day('2026-01-20'),
  replacedCharacters: day('2026-01-21'),
} as const satisfies Record<string, Day>;

/** Adds all oddities to a generated dataset, except a user who occurs twice, which takes two pages. */
export function addQuirks(dataset: OverridableDataset): void {
  changeRows(dataset, 'tokens', quirkDays.exactNumbers, (row) => ({
    ...row,
    billable_tokens: writtenAs('12345678901234567890.123456789'),
    input_tokens: writtenAs('9007199254740993'),
    output_tokens: writtenAs('9223372036854775807'),
    by_model: [
      model('m', 'standard', writtenAs('0.1'), writtenAs('9007199254740993')),
      model('m', 'thinking', writtenAs('1.50')),
      model('m', 'standard', writtenAs('0.2')),
    ],
  }));
  changeRows(dataset, 'tokens', quirkDays.doubledTokens, (row) => ({
    ...row,
    by_user: [
      { user_id: 'u', user_email: null, billable_tokens: 0.1, by_model: [model('m', 'standard', 0.1)] },
      { user_id: 'v', user_email: 'v@example.com', billable_tokens: 0, by_model: [] },
      {
        user_id: 'u',
        user_email: 'u@example.com',
        billable_tokens: 0.2,
        by_model: [model('m', 'standard', 0.2), without(model('m', '', 5), 'model_tier')],
      },
    ],
  }));
  addOddNames(dataset);
  changeRows(dataset, 'tools', quirkDays.absentMetrics, (row) => ({
    ...without(row, 'tool_calls', 'by_tool', 'skills_by_name'),
    hooks_invocations: null,
    web_users: 0,
    autonomy_ratio_p50: null,
    autonomy_ratio_p90: 0,
    autonomy_ratio_avg: 1e-7,
    mcp_by_server: [],
    planet: 'Mars',
    slash_commands_by_name: [{ name: 'compact', count: 0, origin: 'x' }, { name: 'absent' }],
  }));
  changeRows(dataset, 'activity', quirkDays.absentMetrics, (row) => ({
    ...without(row, 'sessions'),
    messages: 0,
    daily_active_users_by_client: {
      web: 0,
      'carrier-pigeon': 3,
      'terminal-ui': null,
      '': 1,
      ['__proto__']: 7,
    },
  }));
  changeRows(dataset, 'users', quirkDays.oddUsers, (row, index) => ({ ...row, ...oddUserFields[index] }));
  addReplacedCharacters(dataset);
}

const oddUserFields: readonly Fields[] = [
  { user_email: null, primary_model: null, delegation_level: 'spec', languages: ['Go', 'Go', ''] },
  { primary_model_tier: undefined, delegation_level: null, languages: undefined, future: { a: [1] } },
  { delegation_level: 'auto_high', tool_calls: 0, billable_tokens: 0.000001, languages: [] },
  { delegation_level: 'whim of the moment', tool_calls: undefined, autonomy_ratio: null, user_email: '' },
];

function addOddNames(dataset: OverridableDataset): void {
  const counted = oddNames.map((name, index) => ({ name, count: index }));
  changeRows(dataset, 'tools', quirkDays.oddNames, (row) => ({
    ...row,
    by_tool: [...oddNames, 'Read', 'Read'].map((tool, index) => ({ tool, invocations: index + 1 })),
    mcp_by_server: ['github', 'GitHub', ' github', ...oddNames].map((server) => ({ server, invocations: 2 })),
    skills_by_name: counted,
    slash_commands_by_name: counted,
    hooks_by_event: [
      { event: 'Stop', count: 1 },
      { event: 'Stop', matcher: '', command: null, count: 2 },
      { event: 'PostToolUse', matcher: 'Edit', count: 4 },
      { event: 'PostToolUse', command: 'Edit', count: 8 },
      ...oddNames.map((command) => ({ event: 'PostToolUse', matcher: 'Edit', command, count: 16 })),
    ],
    tool_autonomy_level_ratio: { auto_high: 0.1, auto_medium: 0, manual: 0.30000000000000004, auto_max: 1 },
  }));
  changeRows(dataset, 'productivity', quirkDays.oddNames, (row) => ({
    ...row,
    by_extension: ['.ts', '.ts', ...oddNames].map((extension) => ({ extension, count: 1 })),
    by_language: oddNames.map((language) => ({ language, count: 1 })),
  }));
}

function addReplacedCharacters(dataset: OverridableDataset): void {
  changeRows(dataset, 'tools', quirkDays.replacedCharacters, (row) => ({
    ...row,
    by_tool: [
      { tool: 'cut\0short', invocations: 1 },
      { tool: 'half \ud800 a pair', invocations: 2 },
    ],
  }));
  changeRows(dataset, 'users', quirkDays.replacedCharacters, (row, index) =>
    index === 0 ? { ...row, languages: ['C\0'], user_email: 'nul\0@example.com' } : row,
  );
  changeRows(dataset, 'activity', quirkDays.replacedCharacters, (row) => ({
    ...row,
    daily_active_users_by_client: { 'we\0b': 1 },
  }));
}
