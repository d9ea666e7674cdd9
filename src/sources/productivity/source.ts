import type { DailySource } from '../../model/source.ts';
import { rowsOf } from '../../model/table.ts';
import { versions } from '../versions.generated.ts';
import { productivityRow } from './schema.ts';
import { factFileExtensionDaily, factLanguageDaily, factProductivityDaily } from './tables.ts';

/** One `/productivity` row → the day, its file extensions and its languages. */
export const productivity: DailySource = {
  name: 'productivity',
  path: '/productivity',
  slicing: { by: 'day', reading: 'window', dayField: 'date' },
  duplicates: 'sum',
  schema: productivityRow,
  root: rowsOf(factProductivityDaily, {
    by_extension: rowsOf(factFileExtensionDaily),
    by_language: rowsOf(factLanguageDaily),
  }),
  version: versions.productivity,
};
