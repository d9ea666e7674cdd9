import { flattener } from '../../model/flatten.ts';
import { rowsOf } from '../../model/record-node.ts';
import { productivityRow } from './schema.ts';
import { factFileExtensionDaily, factLanguageDaily, factProductivityDaily } from './tables.ts';

/** One `/productivity` row → the day, its file extensions and its languages. */
export const flattenProductivity = flattener(productivityRow, factProductivityDaily, {
  by_extension: rowsOf(factFileExtensionDaily),
  by_language: rowsOf(factLanguageDaily),
});
