/** Random payload rows that the documentation of the platform allows, for property tests. */
import fc from 'fast-check';
import { writtenAs } from './exact-json.ts';
import { sampleDay } from './samples.ts';

/** Names that often break programs. */
const awkward = [
  '',
  ' ',
  '\\N',
  '\\',
  '\\\\',
  '\t',
  '\n',
  '\r\n',
  '"',
  "'",
  "''",
  '$1',
  '{a,b}',
  'NULL',
  'null',
  'a\0b',
  '\0',
  '\uFFFD',
  '\ud83d',
  '\ude00',
  '😀',
  'é',
  'e\u0301',
  '\u2028',
  '\uFEFF',
  '__proto__',
  'constructor',
  '1',
  'auto_high',
  'auto-high',
  'x'.repeat(9000),
  '\u{10FFFF}',
  '\u0001',
  '%s',
  '--',
  ';',
];
const text = fc.oneof(fc.constantFrom(...awkward), fc.string({ unit: 'binary', maxLength: 12 }));
const absent = fc.constantFrom(undefined, null);

/** A whole number as the platform may write it: up to 2^60, so that the sum of several fits into a bigint. */
const whole = fc.oneof(
  fc.constantFrom(0, 1, 2 ** 53 - 1, 2 ** 53),
  fc.nat(),
  fc.bigInt({ min: 0n, max: 2n ** 60n }).map((value) => writtenAs(String(value))),
);
const digits = fc.stringMatching(/^(0|[1-9]\d{0,20})(\.\d{1,25})?$/).map(writtenAs);
const double = fc.double({ min: 0, max: 1e15, noNaN: true });

const count = fc.oneof({ weight: 4, arbitrary: whole }, { weight: 1, arbitrary: absent });
const credits = fc.oneof(fc.constantFrom(0, 0.1, 0.2), double, digits, absent);
const ratio = fc.oneof(fc.constantFrom(0, 0.5), double, digits, absent);
const optional = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: absent });

const object = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(fields, { noNullPrototype: true });
const entries = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.array(object(fields), { maxLength: 5 });

/** A name as the warehouse stores it: two names with the same result are one. */
function stored(name: string): string {
  const replaced = name.toWellFormed().replaceAll('\0', '\uFFFD');
  return /^auto_(high|medium|low)$/.test(replaced) ? replaced.replace('_', '-') : replaced;
}

/** A name without the single backslash: after it, `JSON.parse` of Node 24 takes other escaped names for it (a bug). */
const field = text.filter((name) => name !== '\\');

const map = (value: fc.Arbitrary<unknown>) =>
  fc
    .uniqueArray(fc.tuple(field, value), { selector: ([name]) => stored(name), maxLength: 5 })
    .map((pairs) => Object.fromEntries(pairs));

function figures(kind: fc.Arbitrary<unknown>, ...names: string[]): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(names.map((name) => [name, kind]));
}

const date = { date: fc.constant(sampleDay) };
const model = {
  model_id: text,
  model_tier: optional,
  billable_tokens: credits,
  ...figures(count, 'input_tokens', 'output_tokens'),
};

const tokens = object({
  ...date,
  billable_tokens: credits,
  ...figures(count, 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'),
  by_model: entries(model),
  by_user: entries({
    user_id: text,
    user_email: optional,
    billable_tokens: credits,
    by_model: entries(model),
  }),
});

const tools = object({
  ...date,
  ...figures(count, 'tool_calls', 'mcp_users_with_mcp', 'skills_invocations', 'slash_commands_invocations'),
  ...figures(count, 'hooks_invocations', 'web_users'),
  ...figures(ratio, 'autonomy_ratio_avg', 'autonomy_ratio_p50', 'autonomy_ratio_p90'),
  ...figures(ratio, 'tool_calls_per_session_avg', 'user_turns_per_session_avg'),
  by_tool: entries({ tool: text, invocations: count }),
  mcp_by_server: entries({ server: text, invocations: count }),
  skills_by_name: entries({ name: text, count }),
  slash_commands_by_name: entries({ name: text, count }),
  hooks_by_event: entries({ event: optional, matcher: optional, command: optional, count }),
  tool_autonomy_level_ratio: map(ratio),
});

const activity = object({
  ...date,
  ...figures(count, 'daily_active_users', 'weekly_active_users', 'monthly_active_users'),
  ...figures(count, 'sessions', 'messages', 'user_messages'),
  daily_active_users_by_client: map(count),
});

const productivity = object({
  ...date,
  ...figures(count, 'files_created', 'files_edited', 'git_commits', 'git_prs_created'),
  by_extension: entries({ extension: text, count }),
  by_language: entries({ language: text, count }),
});

const user = object({
  ...date,
  user_id: text,
  user_email: optional,
  primary_model: optional,
  primary_model_tier: optional,
  delegation_level: optional,
  billable_tokens: credits,
  autonomy_ratio: ratio,
  ...figures(
    count,
    'tool_calls',
    'files_created',
    'files_edited',
    'git_commits',
    'git_prs_created',
    'mcp_calls',
  ),
  ...figures(count, 'skill_calls', 'slash_commands', 'hooks', 'sessions', 'messages', 'user_messages'),
  assistant_messages: count,
  languages: fc.array(text, { maxLength: 4 }),
});

const oneRow = (row: fc.Arbitrary<Record<string, unknown>>) => row.map((only) => [only]);

/** The rows of one day by endpoint, at least one. In the rows of `users` no user comes twice. */
export const payloadRows: Readonly<Record<string, fc.Arbitrary<Record<string, unknown>[]>>> = {
  tokens: oneRow(tokens),
  tools: oneRow(tools),
  activity: oneRow(activity),
  productivity: oneRow(productivity),
  users: fc.uniqueArray(user, { selector: (row) => stored(String(row.user_id)), minLength: 1, maxLength: 4 }),
};
