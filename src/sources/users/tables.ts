import { additive, reference, rowsOf, table, values } from '../../model/table.ts';
import { autonomyLevel, language, model, user } from '../dimensions.ts';

/** Grain: organization × day × user × language. Without figures: a row means that the user wrote in the language. */
const bridgeUserLanguageDaily = table('bridge_user_language_daily', {
  keys: [reference(language, ['value'])],
});

/** Grain: organization × day × user. */
export const factUserDaily = table('fact_user_daily', {
  keys: [reference(user, ['user_id'])],
  columns: [
    reference(model, ['primary_model', 'primary_model_tier'], 'primary_model_key'),
    reference(autonomyLevel, ['delegation_level'], 'delegation_level_key'),
    ...additive(
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
    ),
    ...values('autonomy_ratio'),
  ],
  below: [rowsOf('languages', bridgeUserLanguageDaily)],
});
