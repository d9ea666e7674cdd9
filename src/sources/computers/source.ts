import { computerCalls } from '../../model/platform/computers.ts';
import type { Source } from '../../model/source.ts';
import { snapshotOfToday } from '../partitioning/snapshot-of-today.ts';
import { versions } from '../versions.generated.ts';
import { computerRecord } from './schema.ts';
import { factComputerDaily } from './tables.ts';

/** The organization's computers of today; each becomes a row, with rows for its steps and repositories (platform-api.md §4.5). */
export const computers: Source = {
  name: 'computers',
  isOptional: true,
  envelope: { records: 'computers' },
  partitioning: snapshotOfToday(
    { path: computerCalls.list.path, query: {} },
    { includeProvisioningSteps: 'true' },
  ),
  duplicates: 'last',
  schema: computerRecord,
  root: factComputerDaily,
  version: versions.computers,
};
