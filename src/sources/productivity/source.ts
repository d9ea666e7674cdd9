import type { DailySource } from '../../model/source.ts';
import { versions } from '../versions.generated.ts';
import { productivityRow } from './schema.ts';
import { factProductivityDaily } from './tables.ts';

/** One `/productivity` row → the day, its file extensions and its languages. */
export const productivity: DailySource = {
  name: 'productivity',
  path: '/productivity',
  slicing: { by: 'day', reading: 'window', dayField: 'date' },
  duplicates: 'sum',
  schema: productivityRow,
  root: factProductivityDaily,
  version: versions.productivity,
};
