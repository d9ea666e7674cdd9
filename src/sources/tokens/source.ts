import type { Source } from '../../model/source.ts';
import { analyticsEnvelope, analyticsPath } from '../analytics.ts';
import { daysInWindows } from '../partitioning/days-in-windows.ts';
import { versions } from '../versions.generated.ts';
import { tokensByModel } from './grouping.ts';
import { tokenRow } from './schema.ts';
import { factTokenDaily } from './tables.ts';

/** One record of `/tokens` becomes a row for the day, for each model and user, and for each model of a user. */
export const tokens: Source = {
  name: 'tokens',
  envelope: analyticsEnvelope,
  partitioning: daysInWindows(`${analyticsPath}/tokens`),
  duplicates: 'sum',
  schema: tokenRow,
  root: factTokenDaily,
  grouping: tokensByModel,
  version: versions.tokens,
};
