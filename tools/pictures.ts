/**
 * Takes the pictures of docs/pictures anew: the tests of dashboards and of the report make them in a folder of their own,
 * from where they are copied. `.ci/bi-tools` says where the tools are that they take. Ends as the tests do.
 */
import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const tests = ['test/bi-tools/superset.test.ts', 'test/bi-tools/report-page.test.ts'];
/** Beside them the tests leave pictures that only help who looks into a failure. */
const ofDocuments = /^(?:report|superset-.*)\.png$/;

const folder = await mkdtemp(join(tmpdir(), 'usage-etl-pictures-'));
try {
  const { status } = spawnSync('npx', ['vitest', 'run', '--maxWorkers=1', ...tests], {
    env: { ...process.env, PICTURES: folder },
    stdio: 'inherit',
  });
  for (const name of await readdir(folder))
    if (ofDocuments.test(name)) await copyFile(join(folder, name), join('docs/pictures', name));
  process.exitCode = status ?? 1;
} finally {
  await rm(folder, { recursive: true });
}
