/**
 * Where persons may be named. Every column of the schemas `warehouse` and `etl` that holds text, JSON or bytes stands in
 * one of these two lists; a new one fails a test until somebody decides in which. Columns that Postgres generates follow
 * those that they are made of.
 */
import type { PersonColumn } from '../model/person-places.ts';

/** Columns in which a person may be named: by a field that is there for it, or in what somebody called something. */
const named: Readonly<Record<string, Readonly<Record<string, PersonColumn['kind']>>>> = {
  // Whose e-mail it is, is told by the id: that is rewritten after it.
  'warehouse.dim_user': { user_email: 'email', user_id: 'user_id' },
  'warehouse.dim_autonomy_level': { level_code: 'text' },
  'warehouse.dim_client': { client_type: 'text' },
  'warehouse.dim_file_extension': { extension: 'text' },
  'warehouse.dim_hook': { event: 'text', matcher: 'text', command: 'text' },
  'warehouse.dim_language': { language_name: 'text' },
  'warehouse.dim_mcp_server': { server_name: 'text' },
  'warehouse.dim_model': { model_id: 'text', model_tier: 'text' },
  'warehouse.dim_skill': { skill_name: 'text' },
  'warehouse.dim_slash_command': { command_name: 'text' },
  'warehouse.dim_tool': { tool_name: 'text' },
  'warehouse.dim_computer': {
    computer_id: 'text',
    computer_name: 'text',
    provider_type: 'text',
    source_kind: 'text',
    template_id: 'text',
    owner_principal_kind: 'text',
    owner_id: 'text',
  },
  'warehouse.fact_computer_daily': {
    status: 'text',
    host_id: 'text',
    hostname: 'text',
    remote_user: 'text',
  },
  'warehouse.fact_computer_step_daily': {
    step_id: 'text',
    step_name: 'text',
    status: 'text',
    error: 'text',
    install_session_id: 'text',
  },
  'warehouse.bridge_computer_repository_daily': { directory: 'text' },
  'warehouse.dim_readiness_criterion': { criterion_id: 'text' },
  'warehouse.dim_repository': { repo_url: 'text' },
  'warehouse.fact_readiness_app': { app_path: 'text', description: 'text' },
  'warehouse.fact_readiness_criterion': { rationale: 'text' },
  'warehouse.fact_readiness_report': {
    branch: 'text',
    client_version: 'text',
    commit_hash: 'text',
    model_id: 'text',
    reasoning_effort: 'text',
  },
  'warehouse.fact_session_content_block': { block_type: 'text' },
  'warehouse.fact_session_hook_result': { command: 'text' },
  'warehouse.fact_session_message': {
    role: 'text',
    user_message_source: 'text',
    visibility: 'text',
    reasoning_effort: 'text',
    hook_event_name: 'text',
    hook_matcher: 'text',
    hook_status: 'text',
    content_text: 'text',
  },
  // As in dim_model: a model may be called after somebody, and keeps its price.
  'warehouse.credit_price': { model_id: 'text', model_tier: 'text' },
  'warehouse.credit_limit': { user_email: 'text' },
  'warehouse.person_assignment': {
    user_id: 'user_id',
    user_email: 'text',
    team: 'text',
    department: 'text',
    cost_center: 'text',
  },
  'etl.summed_credits': { team: 'text', department: 'text', cost_center: 'text' },
  'etl.check_result': { detail: 'text' },
  'etl.credit_limit_change': { user_email: 'text', error: 'text' },
  'etl.drift': { path: 'text', example: 'text' },
  'etl.rejected_row': { path: 'text', reason: 'text', payload: 'json' },
  'etl.run': { arguments: 'json', error: 'text' },
  'etl.slice': { error: 'text', last_error: 'text' },
};

/** What is searched for persons, in this order. The raw archive is searched beside it. */
export const personPlaces: readonly PersonColumn[] = Object.entries(named).flatMap(([table, columns]) =>
  Object.entries(columns).map(([column, kind]) => ({ table, column, kind })),
);

/** Tables beside the dimensions that may hold e-mails which came with answers, or stand for users. */
const withEmails = [
  'etl.rejected_row',
  'etl.check_result',
  'etl.credit_limit_change',
  'warehouse.credit_limit',
];

/** Where every load looks for e-mails that may not be stored any more: dimensions, and what holds them beside facts. */
export const emailPlaces: readonly PersonColumn[] = personPlaces.filter(
  ({ table }) => table.startsWith('warehouse.dim_') || withEmails.includes(table),
);

/** Columns that cannot name a person, by the reason why. */
export const namesNobody: Readonly<Record<string, readonly string[]>> = {
  'this program wrote it': [
    'etl.asked_range.endpoint',
    'etl.check_result.check_name',
    'etl.check_result.endpoint',
    'etl.check_result.verdict',
    'etl.credit_limit_change.outcome',
    'etl.drift.endpoint',
    'etl.drift.kind',
    'etl.forgotten_name.kind',
    'etl.kept_text.endpoint',
    'etl.lock_number.subject',
    'etl.migration.checksum',
    'etl.migration.name',
    'etl.migration.timestamp',
    'etl.migration_lock.id',
    'etl.raw_slice.endpoint',
    'etl.rejected_row.endpoint',
    'etl.request_window.endpoint',
    'etl.run.app_version',
    'etl.run.job',
    'etl.run.status',
    'etl.run.told',
    'etl.slice.believed_by',
    'etl.slice.endpoint',
    'etl.slice.status',
    'etl.slice.table_rows',
    'etl.view_fingerprint.file_name',
    'etl.view_fingerprint.fingerprint',
    'warehouse.dim_autonomy_level.description',
    'warehouse.dim_client.description',
    'warehouse.dim_computer.seen_endpoint',
    'warehouse.dim_user.user_email_endpoint',
  ],
  'the id of a message': [
    'warehouse.fact_session_content_block.message_id',
    'warehouse.fact_session_hook_result.message_id',
    'warehouse.fact_session_message.message_id',
    'warehouse.fact_session_message.parallel_group_id',
    'warehouse.fact_session_message.parent_id',
  ],
  'a day, the id of a session, or another key of a slice': [
    'etl.session.session_id',
    'warehouse.fact_session_content_block.session_id',
    'warehouse.fact_session_hook_result.session_id',
    'warehouse.fact_session_message.session_id',
    'etl.raw_slice.slice_key',
    'etl.rejected_row.slice_key',
    'etl.slice.slice_key',
  ],
  'three capital letters': ['warehouse.credit_price.currency'],
  'an organization': ['etl.credential.org_id', 'warehouse.dim_org.org_id'],
  'a digest of an address and its key': ['etl.credential.credential_digest'],
  'a digest of many rows together': ['etl.slice.content_hash', 'etl.slice.source_hash'],
  'digests of persons under this key': ['etl.forgotten_key.key', 'etl.forgotten_name.digest'],
  'a key for what stands in the place of addresses': ['etl.address_key.key'],
  'rewritten by itself, chunk by chunk': ['etl.raw_slice.payload'],
};
