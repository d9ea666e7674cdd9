import { flattener } from '../../model/flatten.ts';
import { rowsOf } from '../../model/record-node.ts';
import { tokenRow } from './schema.ts';
import {
  factTokenDaily,
  factTokenModelDaily,
  factTokenUserDaily,
  factTokenUserModelDaily,
} from './tables.ts';

/** One `/tokens` row → the day, its models, its users, and the models of each user. */
export const flattenTokens = flattener(tokenRow, factTokenDaily, {
  by_model: rowsOf(factTokenModelDaily),
  by_user: rowsOf(factTokenUserDaily, { by_model: rowsOf(factTokenUserModelDaily) }),
});
