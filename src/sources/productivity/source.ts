import type { Source } from '../../model/source.ts';
import { analyticsEnvelope, analyticsPath } from '../analytics.ts';
import { daysInWindows } from '../partitioning/days-in-windows.ts';
import { versions } from '../versions.generated.ts';
import { productivityRow } from './schema.ts';
import { factProductivityDaily } from './tables.ts';

/** One record of `/productivity` becomes a row for the day, and a row for each file extension and language. */
export const productivity: Source = {
  name: 'productivity',
  envelope: analyticsEnvelope,
  partitioning: daysInWindows(`${analyticsPath}/productivity`),
  duplicates: 'sum',
  schema: productivityRow,
  root: factProductivityDaily,
  version: versions.productivity,
};
