import { z } from 'zod';
import { count, credits, name } from '../../model/fields.ts';
import type { Grouping } from '../../model/grouping.ts';
import { factTokenModelDaily } from './tables.ts';

/** `group_by=model`: a group is a model id, so all tiers of a model are one group (platform-api.md §4.2). */
export const tokensByModel: Grouping = {
  groupBy: 'model',
  row: z.object({
    date: name,
    group_key: name,
    billable_tokens: credits,
    input_tokens: count,
    output_tokens: count,
  }),
  table: factTokenModelDaily,
  groupColumn: 'model_id',
  figures: {
    billable_tokens: 'billable_tokens',
    input_tokens: 'input_tokens',
    output_tokens: 'output_tokens',
  },
};
