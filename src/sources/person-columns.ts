/**
 * The columns that may name persons. Every column of the schemas `warehouse` and `etl` with text, JSON or bytes is in this
 * list; a test fails for a new column until somebody says here what it holds. Generated columns are not listed: Postgres
 * computes them again.
 */
import type { PersonColumn } from '../model/person-places.ts';

/**
 * What a column holds that may name a person. Columns are rewritten in this order. E-mails come before user ids, because
 * the user id in the same row says whose e-mail it is, and must not be rewritten before.
 */
const kinds = ['email', 'user_id', 'text', 'json'] as const;
/**
 * What a column holds that names nobody: words of this program, a currency code, the id of a message or of an organization,
 * the key of a slice (such as a day or the id of a session), or a digest or its key. The archive is rewritten separately,
 * chunk by chunk.
 */
const others = ['words', 'currency', 'messageId', 'organization', 'sliceKey', 'digest', 'archive'] as const;

type Holds = (typeof kinds)[number] | (typeof others)[number];

const tables: Readonly<Record<string, Readonly<Partial<Record<Holds, readonly string[]>>>>> = {
  'warehouse.dim_user': { email: ['user_email'], user_id: ['user_id'], words: ['user_email_endpoint'] },
  'warehouse.dim_autonomy_level': { text: ['level_code'], words: ['description'] },
  'warehouse.dim_client': { text: ['client_type'], words: ['description'] },
  'warehouse.dim_file_extension': { text: ['extension'] },
  'warehouse.dim_hook': { text: ['event', 'matcher', 'command'] },
  'warehouse.dim_language': { text: ['language_name'] },
  'warehouse.dim_mcp_server': { text: ['server_name'] },
  'warehouse.dim_model': { text: ['model_id', 'model_tier'] },
  'warehouse.dim_skill': { text: ['skill_name'] },
  'warehouse.dim_slash_command': { text: ['command_name'] },
  'warehouse.dim_tool': { text: ['tool_name'] },
  'warehouse.dim_computer': {
    text: [
      'computer_id',
      'computer_name',
      'provider_type',
      'source_kind',
      'template_id',
      'owner_principal_kind',
      'owner_id',
    ],
    words: ['seen_endpoint'],
  },
  'warehouse.fact_computer_daily': { text: ['status', 'host_id', 'hostname', 'remote_user'] },
  'warehouse.fact_computer_step_daily': {
    text: ['step_id', 'step_name', 'status', 'error', 'install_session_id'],
  },
  'warehouse.bridge_computer_repository_daily': { text: ['directory'] },
  'warehouse.dim_readiness_criterion': { text: ['criterion_id'] },
  'warehouse.dim_repository': { text: ['repo_url'] },
  'warehouse.fact_readiness_app': { text: ['app_path', 'description'] },
  'warehouse.fact_readiness_criterion': { text: ['rationale'] },
  'warehouse.fact_readiness_report': {
    text: ['branch', 'client_version', 'commit_hash', 'model_id', 'reasoning_effort'],
  },
  'warehouse.fact_session_content_block': {
    text: ['block_type'],
    messageId: ['message_id'],
    sliceKey: ['session_id'],
  },
  'warehouse.fact_session_hook_result': {
    text: ['command'],
    messageId: ['message_id'],
    sliceKey: ['session_id'],
  },
  'warehouse.fact_session_message': {
    text: [
      'role',
      'user_message_source',
      'visibility',
      'reasoning_effort',
      'hook_event_name',
      'hook_matcher',
      'hook_status',
      'content_text',
    ],
    messageId: ['message_id', 'parallel_group_id', 'parent_id'],
    sliceKey: ['session_id'],
  },
  // The id of a model may name a person. It is replaced here as in dim_model, so that the model keeps its price.
  'warehouse.credit_price': { text: ['model_id', 'model_tier'], currency: ['currency'] },
  'warehouse.credit_limit': { text: ['user_email'] },
  'warehouse.person_assignment': {
    user_id: ['user_id'],
    text: ['user_email', 'team', 'department', 'cost_center'],
  },
  'warehouse.dim_org': { organization: ['org_id'] },
  'etl.address_key': { digest: ['key'] },
  'etl.asked_range': { words: ['endpoint'] },
  'etl.check_result': { text: ['detail'], words: ['check_name', 'endpoint', 'verdict'] },
  'etl.credential': { organization: ['org_id'], digest: ['credential_digest'] },
  'etl.credit_limit_change': { text: ['user_email', 'error'], words: ['outcome'] },
  'etl.drift': { text: ['path', 'example'], words: ['endpoint', 'kind'] },
  'etl.forgotten_key': { digest: ['key'] },
  'etl.forgotten_name': { words: ['kind'], digest: ['digest'] },
  'etl.kept_text': { words: ['endpoint'] },
  'etl.migration': { words: ['checksum', 'name', 'timestamp'] },
  'etl.migration_lock': { words: ['id'] },
  'etl.organization': { words: ['name'] },
  'etl.raw_slice': { words: ['endpoint'], sliceKey: ['slice_key'], archive: ['payload'] },
  'etl.rejected_row': {
    text: ['path', 'reason'],
    json: ['payload'],
    words: ['endpoint'],
    sliceKey: ['slice_key'],
  },
  'etl.request_window': { words: ['endpoint'] },
  'etl.run': { json: ['arguments'], text: ['error'], words: ['app_version', 'job', 'status', 'told'] },
  'etl.session': { sliceKey: ['session_id'] },
  'etl.slice': {
    text: ['error', 'last_error'],
    words: ['believed_by', 'endpoint', 'status', 'table_rows'],
    sliceKey: ['slice_key'],
    digest: ['content_hash', 'source_hash'],
  },
  'etl.summed_credits': { text: ['team', 'department', 'cost_center'] },
  'etl.view_fingerprint': { words: ['file_name', 'fingerprint'] },
};

function columnsOf<Of extends Holds>(holds: readonly Of[]) {
  return Object.entries(tables).flatMap(([table, columns]) =>
    holds.flatMap((kind) => (columns[kind] ?? []).map((column) => ({ table, column, kind }))),
  );
}

/** The columns that are searched for persons, in this order. */
export const personPlaces: readonly PersonColumn[] = columnsOf(kinds);

/** The columns that name nobody. */
export const namesNobody = columnsOf(others);

/** Tables, besides dimensions, that may hold e-mails: from answers, or as the names of users. */
const withEmails = [
  'etl.rejected_row',
  'etl.check_result',
  'etl.credit_limit_change',
  'warehouse.credit_limit',
];

/** The columns in which every load with `USER_EMAIL=none` looks for e-mails that were stored before. */
export const emailPlaces: readonly PersonColumn[] = personPlaces.filter(
  ({ table }) => table.startsWith('warehouse.dim_') || withEmails.includes(table),
);
