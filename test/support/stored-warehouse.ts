/** Reads the rows of the warehouse with their natural keys, in the form of `expected-warehouse.ts`. */
import type pg from 'pg';
import { normalDecimal } from './decimal.ts';
import { type Row, sortedRows, type Warehouse } from './expected-warehouse.ts';

interface StoredTable {
  /** Dimensions whose surrogate key is part of the fact's key. */
  readonly dimensions: readonly Dimension[];
  readonly measures: readonly string[];
  /** Columns to select from dimensions whose surrogate key is not part of the fact's key. */
  readonly select?: string;
  readonly join?: string;
}

type Dimension = keyof typeof naturalKeys;

const naturalKeys = {
  user: ['user_id'],
  model: ['model_id', 'model_tier'],
  tool: ['tool_name'],
  mcp_server: ['server_name'],
  skill: ['skill_name'],
  slash_command: ['command_name'],
  hook: ['event', 'matcher', 'command'],
  client: ['client_type'],
  autonomy_level: ['level_code'],
  file_extension: ['extension'],
  language: ['language_name'],
} as const;

const modelMeasures = ['billable_tokens', 'input_tokens', 'output_tokens'];

const storedTables: Readonly<Record<string, StoredTable>> = {
  fact_token_daily: {
    dimensions: [],
    measures: [...modelMeasures, 'cache_read_tokens', 'cache_write_tokens'],
  },
  fact_token_model_daily: { dimensions: ['model'], measures: modelMeasures },
  fact_token_user_daily: { dimensions: ['user'], measures: ['billable_tokens'] },
  fact_token_user_model_daily: { dimensions: ['user', 'model'], measures: modelMeasures },
  fact_tool_daily: {
    dimensions: [],
    measures: [
      'tool_calls',
      'mcp_users_with_mcp',
      'skills_invocations',
      'slash_commands_invocations',
      'hooks_invocations',
      'web_users',
      'autonomy_ratio_avg',
      'autonomy_ratio_p50',
      'autonomy_ratio_p90',
      'tool_calls_per_session_avg',
      'user_turns_per_session_avg',
    ],
  },
  fact_tool_usage_daily: { dimensions: ['tool'], measures: ['invocations'] },
  fact_mcp_server_daily: { dimensions: ['mcp_server'], measures: ['invocations'] },
  fact_skill_daily: { dimensions: ['skill'], measures: ['invocations'] },
  fact_slash_command_daily: { dimensions: ['slash_command'], measures: ['invocations'] },
  fact_hook_daily: { dimensions: ['hook'], measures: ['invocations'] },
  fact_autonomy_level_daily: { dimensions: ['autonomy_level'], measures: ['share'] },
  fact_activity_daily: {
    dimensions: [],
    measures: [
      'daily_active_users',
      'weekly_active_users',
      'monthly_active_users',
      'sessions',
      'messages',
      'user_messages',
    ],
  },
  fact_activity_client_daily: { dimensions: ['client'], measures: ['daily_active_users'] },
  fact_productivity_daily: {
    dimensions: [],
    measures: ['files_created', 'files_edited', 'git_commits', 'git_prs_created'],
  },
  fact_file_extension_daily: { dimensions: ['file_extension'], measures: ['file_operations'] },
  fact_language_daily: { dimensions: ['language'], measures: ['file_operations'] },
  fact_user_daily: {
    dimensions: ['user'],
    select: `, primary_model.model_id as primary_model_id, primary_model.model_tier as primary_model_tier,
      delegation_level.level_code as delegation_level_code`,
    join: `left join warehouse.dim_model as primary_model on primary_model.model_key = fact.primary_model_key
      left join warehouse.dim_autonomy_level as delegation_level
        on delegation_level.autonomy_level_key = fact.delegation_level_key`,
    measures: [
      'tool_calls',
      'billable_tokens',
      'files_created',
      'files_edited',
      'git_commits',
      'git_prs_created',
      'mcp_calls',
      'skill_calls',
      'slash_commands',
      'hooks',
      'sessions',
      'messages',
      'user_messages',
      'assistant_messages',
      'autonomy_ratio',
    ],
  },
  bridge_user_language_daily: { dimensions: ['user', 'language'], measures: [] },
};

/** Every row of facts and bridges with natural keys; numbers as `normalDecimal` writes them. */
export async function storedWarehouse(pool: pg.Pool): Promise<Warehouse> {
  const tables: Record<string, readonly Row[]> = {};
  for (const [name, table] of Object.entries(storedTables)) {
    const { rows } = await pool.query<Record<string, unknown>>(selectOf(name, table, false));
    tables[name] = sortedRows(rows.map((row) => comparable(row, table)));
  }
  return tables;
}

/** The `loaded_at` of each row of a table, with microseconds; the key of the map is the natural key as JSON. */
export async function loadTimes(pool: pg.Pool, name: string): Promise<ReadonlyMap<string, string>> {
  const table = storedTables[name];
  if (table === undefined) throw new RangeError(`there is no table ${name}`);
  const { rows } = await pool.query<Record<string, string>>(selectOf(name, table, true));
  return new Map(
    rows.map(({ loaded_at, usage_date, ...row }) => {
      const keys = table.dimensions.flatMap((dimension) => naturalKeys[dimension].map((key) => row[key]));
      return [[usage_date, ...keys].join(' '), loaded_at ?? ''];
    }),
  );
}

/** E-mail by user id. */
export async function storedEmails(pool: pg.Pool): Promise<Readonly<Record<string, string | null>>> {
  const { rows } = await pool.query<{ user_id: string; user_email: string | null }>(
    'select user_id, user_email from warehouse.dim_user',
  );
  return Object.fromEntries(rows.map(({ user_id, user_email }) => [user_id, user_email]));
}

function selectOf(
  name: string,
  { dimensions, measures, select = '', join = '' }: StoredTable,
  timed: boolean,
) {
  const keys = dimensions.flatMap((dimension) =>
    naturalKeys[dimension].map((key) => `dim_${dimension}.${key}`),
  );
  const columns = [
    ...keys,
    ...measures.map((measure) => `fact.${measure}`),
    ...(timed ? ['fact.loaded_at::text'] : []),
  ];
  const joins = dimensions.map(
    (dimension) =>
      `join warehouse.dim_${dimension} on dim_${dimension}.${dimension}_key = fact.${dimension}_key`,
  );
  return `select ${['dim_org.org_id', 'fact.usage_date::text', ...columns].join(', ')} ${select}
    from warehouse.${name} as fact
    join warehouse.dim_org on dim_org.org_key = fact.org_key
    ${joins.join(' ')} ${join}`;
}

function comparable(row: Readonly<Record<string, unknown>>, { measures }: StoredTable): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (value === null) return [name, null];
      // A double precision comes as a number; bigint and numeric come as text.
      const isExact = measures.includes(name) && typeof value === 'string';
      return [name, isExact ? normalDecimal(value) : String(value)];
    }),
  );
}
