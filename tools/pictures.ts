/**
 * Makes the pictures of docs/pictures again: the tests of dashboards and of the report write them into a temporary folder,
 * and this program copies them. `.ci/bi-tools` sets the variables that name the needed tools. The exit code is that of the
 * tests.
 */
import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const tests = ['test/bi-tools/superset.test.ts', 'test/bi-tools/report-page.test.ts'];
/** The pictures for documents. The tests also write others, which only help to understand a failure. */
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
