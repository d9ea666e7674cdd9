/**
 * The expected warehouse for given payloads, by natural keys and as text. It shares no code with the loader, so that it
 * does not share a mistake with it.
 */
import { decimalSum, normalDecimal } from './decimal.ts';
import { exactJson, fieldsOf, itemsOf, WrittenNumber } from './exact-json.ts';

/** The payload of one endpoint and day. */
export interface Payload {
  readonly endpoint: string;
  readonly day: string;
  readonly rows: readonly unknown[];
}

/** The values of a row by column; numbers as `normalDecimal` writes them. */
export type Row = Readonly<Record<string, string | null>>;

/** Rows per table, sorted. */
export type Warehouse = Readonly<Record<string, readonly Row[]>>;

export const tableNames = [
  'fact_token_daily',
  'fact_token_model_daily',
  'fact_token_user_daily',
  'fact_token_user_model_daily',
  'fact_tool_daily',
  'fact_tool_usage_daily',
  'fact_mcp_server_daily',
  'fact_skill_daily',
  'fact_slash_command_daily',
  'fact_hook_daily',
  'fact_autonomy_level_daily',
  'fact_activity_daily',
  'fact_activity_client_daily',
  'fact_productivity_daily',
  'fact_file_extension_daily',
  'fact_language_daily',
  'fact_user_daily',
  'bridge_user_language_daily',
] as const;
type TableName = (typeof tableNames)[number];

type Fields = Readonly<Record<string, unknown>>;

/** All facts and bridges of an organization for its payloads; there is one payload per endpoint and day. */
export function expectedWarehouse(organization: string, payloads: readonly Payload[]): Warehouse {
  const tables = new Map(tableNames.map((name) => [name, new Map<string, Row>()]));

  /** Adds a row; if its key is there already, the measures of both rows are summed. */
  function add(table: TableName, day: string, keys: Row, measures: Row): void {
    const key = { org_id: organization, usage_date: day, ...keys };
    const rows = tables.get(table);
    const identity = JSON.stringify(key);
    const known = rows?.get(identity);
    rows?.set(identity, { ...key, ...(known === undefined ? measures : summed(known, measures)) });
  }

  for (const { endpoint, day, rows } of payloads) {
    const read = rows.map((row) => fieldsOf(exactJson(row)));
    // If /users has a user twice, the later row counts.
    const settled =
      endpoint === 'users' ? [...new Map(read.map((row) => [row.user_id, row])).values()] : read;
    for (const row of settled)
      readers[endpoint]?.(row, (table, keys, measures) => add(table, day, keys, measures));
  }
  return Object.fromEntries([...tables].map(([name, rows]) => [name, sortedRows([...rows.values()])]));
}

type Add = (table: TableName, keys: Row, measures: Row) => void;

const readers: Readonly<Record<string, (row: Fields, add: Add) => void>> = {
  tokens(row, add) {
    add(
      'fact_token_daily',
      {},
      {
        ...decimals(row, 'billable_tokens', 'input_tokens', 'output_tokens'),
        ...decimals(row, 'cache_read_tokens', 'cache_write_tokens'),
      },
    );
    const ofModel = (entry: Fields) => decimals(entry, 'billable_tokens', 'input_tokens', 'output_tokens');
    for (const entry of entriesOf(row.by_model))
      add('fact_token_model_daily', modelKey(entry), ofModel(entry));
    for (const user of entriesOf(row.by_user)) {
      const userKey = texts(user, 'user_id');
      add('fact_token_user_daily', userKey, decimals(user, 'billable_tokens'));
      for (const entry of entriesOf(user.by_model))
        add('fact_token_user_model_daily', { ...userKey, ...modelKey(entry) }, ofModel(entry));
    }
  },
  tools(row, add) {
    add(
      'fact_tool_daily',
      {},
      {
        ...decimals(
          row,
          'tool_calls',
          'mcp_users_with_mcp',
          'skills_invocations',
          'slash_commands_invocations',
        ),
        ...decimals(row, 'hooks_invocations', 'web_users'),
        ...doubles(row, 'autonomy_ratio_avg', 'autonomy_ratio_p50', 'autonomy_ratio_p90'),
        ...doubles(row, 'tool_calls_per_session_avg', 'user_turns_per_session_avg'),
      },
    );
    for (const entry of entriesOf(row.by_tool))
      add('fact_tool_usage_daily', { tool_name: text(entry.tool) }, decimals(entry, 'invocations'));
    for (const entry of entriesOf(row.mcp_by_server))
      add('fact_mcp_server_daily', { server_name: text(entry.server) }, decimals(entry, 'invocations'));
    for (const entry of entriesOf(row.skills_by_name))
      add('fact_skill_daily', { skill_name: text(entry.name) }, { invocations: decimal(entry.count) });
    for (const entry of entriesOf(row.slash_commands_by_name))
      add(
        'fact_slash_command_daily',
        { command_name: text(entry.name) },
        { invocations: decimal(entry.count) },
      );
    for (const { event, matcher, command, count } of entriesOf(row.hooks_by_event)) {
      const hook = { event: text(event) ?? '', matcher: text(matcher) ?? '', command: text(command) ?? '' };
      add('fact_hook_daily', hook, { invocations: decimal(count) });
    }
    for (const [level, share] of pairsOf(row.tool_autonomy_level_ratio))
      add('fact_autonomy_level_daily', { level_code: levelCode(level) }, { share: double(share) });
  },
  activity(row, add) {
    add(
      'fact_activity_daily',
      {},
      {
        ...decimals(row, 'daily_active_users', 'weekly_active_users', 'monthly_active_users'),
        ...decimals(row, 'sessions', 'messages', 'user_messages'),
      },
    );
    for (const [client, users] of pairsOf(row.daily_active_users_by_client))
      add(
        'fact_activity_client_daily',
        { client_type: text(client) },
        { daily_active_users: decimal(users) },
      );
  },
  productivity(row, add) {
    add(
      'fact_productivity_daily',
      {},
      decimals(row, 'files_created', 'files_edited', 'git_commits', 'git_prs_created'),
    );
    for (const entry of entriesOf(row.by_extension))
      add('fact_file_extension_daily', texts(entry, 'extension'), { file_operations: decimal(entry.count) });
    for (const { language, count } of entriesOf(row.by_language))
      add('fact_language_daily', { language_name: text(language) }, { file_operations: decimal(count) });
  },
  users(row, add) {
    const userKey = texts(row, 'user_id');
    const hasModel = typeof row.primary_model === 'string';
    add('fact_user_daily', userKey, {
      primary_model_id: text(row.primary_model),
      primary_model_tier: hasModel ? (text(row.primary_model_tier) ?? 'unknown') : null,
      delegation_level_code: levelCode(row.delegation_level),
      ...decimals(row, 'tool_calls', 'billable_tokens', 'files_created', 'files_edited', 'git_commits'),
      ...decimals(row, 'git_prs_created', 'mcp_calls', 'skill_calls', 'slash_commands', 'hooks', 'sessions'),
      ...decimals(row, 'messages', 'user_messages', 'assistant_messages'),
      ...doubles(row, 'autonomy_ratio'),
    });
    for (const language of new Set(itemsOf(row.languages)))
      add('bridge_user_language_daily', { ...userKey, language_name: text(language) }, {});
  },
};

/** E-mail by user id: that of the latest day with one; if both endpoints have one for a day, that of `/users`. */
export function expectedEmails(payloads: readonly Payload[]): Readonly<Record<string, string | null>> {
  const emails = new Map<string, string | null>();
  const order = (payload: Payload) => `${payload.day} ${payload.endpoint}`;
  for (const { endpoint, rows } of payloads.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)))
    for (const row of rows)
      for (const user of endpoint === 'users' ? [fieldsOf(row)] : entriesOf(fieldsOf(row).by_user)) {
        const userId = text(user.user_id) ?? '';
        const email = text(user.user_email);
        // A blank e-mail counts as none.
        const told = email?.trim() === '' ? null : email;
        emails.set(userId, told ?? emails.get(userId) ?? null);
      }
  return Object.fromEntries(emails);
}

/** Sorts rows by their content. */
export function sortedRows(rows: readonly Row[]): readonly Row[] {
  return rows
    .map((row) => ({ row, order: JSON.stringify(Object.entries(row).sort()) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ row }) => row);
}

function summed(known: Row, added: Row): Row {
  const sum = (left: string | null, right: string | null) =>
    left === null || right === null ? (left ?? right) : decimalSum(left, right);
  return Object.fromEntries(
    Object.entries(added).map(([name, value]) => [name, sum(known[name] ?? null, value)]),
  );
}

function entriesOf(breakdown: unknown): readonly Fields[] {
  return itemsOf(breakdown).map(fieldsOf);
}

function pairsOf(map: unknown): readonly (readonly [string, unknown])[] {
  return map === undefined || map === null ? [] : Object.entries(fieldsOf(map));
}

function modelKey(entry: Fields): Row {
  return { model_id: text(entry.model_id), model_tier: text(entry.model_tier) ?? 'unknown' };
}

/** The code of an autonomy level: `auto_high` of `/tools` is stored as `auto-high`, other codes as reported. */
function levelCode(level: unknown): string | null {
  const code = text(level);
  return code !== null && /^auto_(high|medium|low)$/.test(code) ? code.replace('_', '-') : code;
}

/** Text as Postgres can store it: U+FFFD replaces NUL and each half of a surrogate pair. */
function text(value: unknown): string | null {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : null;
}

function texts(fields: Fields, ...names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, text(fields[name])]));
}

/** A number as normal decimal; null when it is absent. */
function decimal(value: unknown): string | null {
  return value instanceof WrittenNumber ? normalDecimal(value.text) : null;
}

function decimals(fields: Fields, ...names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, decimal(fields[name])]));
}

function double(value: unknown): string | null {
  return value instanceof WrittenNumber ? String(Number(value.text)) : null;
}

function doubles(fields: Fields, ...names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, double(fields[name])]));
}
