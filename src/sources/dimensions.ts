/** The conformed dimensions, shared by all endpoints. */
import type { Attribute, Dimension } from '../model/table.ts';

function dimension(table: string, key: string, ...naturalKey: string[]): Dimension {
  return { table, key, naturalKey, perOrganization: false, attributes: [] };
}

/** A user's e-mail, from the latest day that has one. */
export const userEmail: Attribute = {
  column: 'user_email',
  fields: ['user_email'],
  type: 'text',
  whenDuplicate: 'last',
  follows: 'reported',
  isEmail: true,
};

export const user: Dimension = {
  ...dimension('dim_user', 'user_key', 'user_id'),
  perOrganization: true,
  attributes: [userEmail],
};
export const model = dimension('dim_model', 'model_key', 'model_id', 'model_tier');
export const tool = dimension('dim_tool', 'tool_key', 'tool_name');
export const mcpServer = dimension('dim_mcp_server', 'mcp_server_key', 'server_name');
export const skill = dimension('dim_skill', 'skill_key', 'skill_name');
export const slashCommand = dimension('dim_slash_command', 'slash_command_key', 'command_name');
export const hook = dimension('dim_hook', 'hook_key', 'event', 'matcher', 'command');
export const client = dimension('dim_client', 'client_key', 'client_type');
export const autonomyLevel = dimension('dim_autonomy_level', 'autonomy_level_key', 'level_code');
export const fileExtension = dimension('dim_file_extension', 'file_extension_key', 'extension');
export const language = dimension('dim_language', 'language_key', 'language_name');
