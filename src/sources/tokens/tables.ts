import { additive, reference, rowsOf, table } from '../../model/table.ts';
import { model, user } from '../dimensions.ts';

const byModel = {
  keys: [reference(model, ['model_id', 'model_tier'])],
  columns: additive('billable_tokens', 'input_tokens', 'output_tokens'),
};

/** Grain: organization × day × model and tier. */
export const factTokenModelDaily = table('fact_token_model_daily', byModel);

/** Grain: organization × day × user × model and tier. */
const factTokenUserModelDaily = table('fact_token_user_model_daily', byModel);

/** Grain: organization × day × user. */
const factTokenUserDaily = table('fact_token_user_daily', {
  keys: [reference(user, ['user_id'])],
  columns: additive('billable_tokens'),
  below: [rowsOf('by_model', factTokenUserModelDaily)],
});

/** Grain: organization × day. */
export const factTokenDaily = table('fact_token_daily', {
  columns: additive(
    'billable_tokens',
    'input_tokens',
    'output_tokens',
    'cache_read_tokens',
    'cache_write_tokens',
  ),
  below: [rowsOf('by_model', factTokenModelDaily), rowsOf('by_user', factTokenUserDaily)],
});
