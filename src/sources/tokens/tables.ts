import { additive, reference, table } from '../../model/table.ts';
import { model, user } from '../dimensions.ts';

const byUser = reference(user, ['user_id']);
const byModel = reference(model, ['model_id', 'model_tier']);

/** Grain: organization × day. */
export const factTokenDaily = table('fact_token_daily', {
  measures: additive(
    'billable_tokens',
    'input_tokens',
    'output_tokens',
    'cache_read_tokens',
    'cache_write_tokens',
  ),
});

/** Grain: organization × day × model and tier. */
export const factTokenModelDaily = table('fact_token_model_daily', {
  keys: [byModel],
  measures: additive('billable_tokens', 'input_tokens', 'output_tokens'),
});

/** Grain: organization × day × user. */
export const factTokenUserDaily = table('fact_token_user_daily', {
  keys: [byUser],
  measures: additive('billable_tokens'),
});

/** Grain: organization × day × user × model and tier. */
export const factTokenUserModelDaily = table('fact_token_user_model_daily', {
  keys: [byUser, byModel],
  measures: additive('billable_tokens', 'input_tokens', 'output_tokens'),
});
