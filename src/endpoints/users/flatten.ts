import { flattener } from '../../model/flatten.ts';
import { rowsOf } from '../../model/record-node.ts';
import { userRow } from './schema.ts';
import { bridgeUserLanguageDaily, factUserDaily } from './tables.ts';

/** One `/users` row → the user's day and the languages of that day. */
export const flattenUsers = flattener(userRow, factUserDaily, { languages: rowsOf(bridgeUserLanguageDaily) });
