/** The dashboards for Superset, in Superset. `.ci/bi-tools` installs it, and says where. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const { SUPERSET_BIN = '' } = process.env;

describe.skipIf(SUPERSET_BIN === '')('Superset (SUPERSET_BIN)', () => {
  test('is the one that the lock file names', async () => {
    const { stdout } = await promisify(execFile)(join(SUPERSET_BIN, 'pip'), ['show', 'apache-superset']);
    expect(stdout).toContain('Version: 6.1.0');
  });
});
