/** What `npm ci` says to somebody who has just cloned the repository. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folderOfNode20 } from '../support/old-node.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const node20 = await folderOfNode20();
const sentence = 'usage-etl: needs Node 22.22 or later, found 20.';
let clone: string;

beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'usage-etl-clone-'));
  await mkdir(join(clone, 'tools'));
  for (const file of ['package.json', 'package-lock.json', '.npmrc', 'tools/after-install.cjs'])
    await copyFile(join(checkout, file), join(clone, file));
});

afterEach(() => rm(clone, { recursive: true }));

/** All that it says, with a Node first in the PATH. It installs nothing, but looks at all packages and runs our script. */
function saidOn(node: string): Promise<string[]> {
  const elsewhere = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((path) => !path.includes('node_modules'));
  const environment = { PATH: [node, ...elsewhere].join(delimiter), HOME: clone };
  return new Promise((resolve, reject) => {
    execFile(
      'npm',
      ['ci', '--dry-run', '--offline'],
      { cwd: clone, env: environment },
      (error, stdout, stderr) =>
        error === null
          ? resolve(`${stdout}\n${stderr}`.split('\n').filter((line) => line !== ''))
          : reject(new Error(`${stdout}\n${stderr}`, { cause: error })),
    );
  });
}

/** Without the lines of every npm: what it runs, what it would add, and how many these are. */
const withoutCounts = (lines: readonly string[]) =>
  lines.filter((line) => !/^(?:> |(?:add|remove|change) |added |up to date)/.test(line));

test('npm ci says nothing of packages and their engines on a Node that is new enough', async () => {
  expect(withoutCounts(await saidOn(dirname(process.execPath)))).toEqual([]);
});

test.skipIf(node20 === undefined)('on Node 20 it says in one sentence which Node is needed', async () => {
  const lines = withoutCounts(await saidOn(node20 ?? ''));
  expect(lines).toEqual([expect.stringContaining(sentence)]);
  expect(lines[0]).toMatch(
    /: install a newer one \(https:.*\), or run `npm ci --include=dev`, which brings one along$/,
  );
});

test.skipIf(node20 === undefined)('on Node 20 it names the Node that it brought along', async () => {
  await mkdir(join(clone, 'node_modules/.bin'), { recursive: true });
  await symlink(join(checkout, 'node_modules/node'), join(clone, 'node_modules/node'));
  await symlink(process.execPath, join(clone, 'node_modules/.bin/node'));
  const lines = withoutCounts(await saidOn(node20 ?? ''));
  expect(lines).toEqual([expect.stringContaining(sentence)]);
  expect(lines[0]).toMatch(
    /: `npm run` uses Node 24\.\d+\.\d+, which `npm ci` brought along; for all else install a newer one/,
  );
});
