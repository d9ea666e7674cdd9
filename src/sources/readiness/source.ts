import type { Source } from '../../model/source.ts';
import { plainList } from '../partitioning/plain-list.ts';
import { versions } from '../versions.generated.ts';
import { readinessRecord } from './schema.ts';
import { factReadinessReport } from './tables.ts';

/** The organization's readiness reports; each becomes a row, with rows for its criteria and applications (platform-api.md §4.3). */
export const readiness: Source = {
  name: 'readiness',
  host: 'app',
  isOptional: true,
  pathVariable: 'READINESS_PATH',
  envelope: { records: 'reports' },
  partitioning: plainList(
    { path: '/api/organization/maturity-level-reports', query: {} },
    { idField: 'reportId', after: 'startAfter', limit: 'limit' },
  ),
  duplicates: 'last',
  schema: readinessRecord,
  root: factReadinessReport,
  version: versions.readiness,
};
