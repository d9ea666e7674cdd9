import type { DailySource } from '../../model/source.ts';
import { versions } from '../versions.generated.ts';
import { tokensByModel } from './grouping.ts';
import { tokenRow } from './schema.ts';
import { factTokenDaily } from './tables.ts';

/** One `/tokens` row → the day, its models, its users, and the models of each user. */
export const tokens: DailySource = {
  name: 'tokens',
  path: '/tokens',
  slicing: { by: 'day', reading: 'window', dayField: 'date' },
  duplicates: 'sum',
  schema: tokenRow,
  root: factTokenDaily,
  grouping: tokensByModel,
  version: versions.tokens,
};
