/** `/tokens`: Standard Credits and raw tokens per day (platform-api.md §2.5). */
import { z } from 'zod';
import { count, credits, filledText, name, textOr } from '../../model/fields.ts';
import { noGroup } from '../analytics.ts';

const modelEntry = z.object({
  model_id: name,
  model_tier: textOr('unknown'),
  billable_tokens: credits,
  input_tokens: count,
  output_tokens: count,
});

const userEntry = z.object({
  user_id: name,
  user_email: filledText,
  billable_tokens: credits,
  by_model: z.array(modelEntry).nullish(),
});

export const tokenRow = z.object({
  date: name,
  group_key: noGroup,
  billable_tokens: credits,
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  by_model: z.array(modelEntry).nullish(),
  by_user: z.array(userEntry).nullish(),
});
