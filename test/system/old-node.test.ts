/** What a Node that is too old says: a sentence, wherever it meets this program. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { folderOfNode20 } from '../support/old-node.ts';
import { copyCheckout, installPackage } from '../support/package.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
const node20 = await folderOfNode20();
const sentence = /^usage-etl: needs Node 22\.22 or later, found 20\.\d+\.\d+: .*npm ci --include=dev.*\n$/;

/** Runs a program to its end, with Node 20 first in the PATH and nothing of this checkout in it. */
function runWithNode20(command: string, commandLine: readonly string[], directory: string, more = {}) {
  const elsewhere = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((path) => !path.includes('node_modules'));
  const path = [node20, ...elsewhere].join(delimiter);
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(
      command,
      commandLine,
      { cwd: directory, env: { PATH: path, HOME: process.env.HOME, ...more } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

test('the version that is asked for is that of package.json', async () => {
  const text = await readFile(join(checkout, 'jobs/needs-node.cjs'), 'utf8');
  const [, major, minor] = /const needed = \[(\d+), (\d+)\];/.exec(text) ?? [];
  expect(manifest.engines.node).toBe(`>=${major}.${minor}`);
});

test('the launcher is written in words that old Nodes read', async () => {
  for (const name of ['needs-node.cjs', 'usage-etl.cjs']) {
    const text = await readFile(join(checkout, 'jobs', name), 'utf8');
    // What came with Node 14 and later, and could not even be parsed before.
    expect(text).not.toMatch(/\?\?|\?\.|\bawait\b|^import\b|#\w+\(|\d_\d/m);
  }
});

describe.skipIf(node20 === undefined)('Node 20', () => {
  let production: string;

  beforeAll(async () => {
    // As after `NODE_ENV=production npm ci`: the dependencies, and not the Node that developers get.
    production = await mkdtemp(join(tmpdir(), 'usage-etl-production-'));
    await copyCheckout(production);
    await rm(join(production, 'node_modules'));
    await mkdir(join(production, 'node_modules'));
    for (const name of await readdir(join(checkout, 'node_modules')))
      if (!['.bin', 'node', ...Object.keys(manifest.devDependencies)].includes(name))
        await symlink(join(checkout, 'node_modules', name), join(production, 'node_modules', name));
    return () => rm(production, { recursive: true });
  });

  test.each(Object.keys(manifest.scripts).filter((name) => !['format', 'postinstall'].includes(name)))(
    'npm run %s says which Node it needs',
    async (script) => {
      const ended = await runWithNode20('npm', ['run', '-s', script], production);
      expect(ended).toMatchObject({ code: 2, stdout: '' });
      expect(ended.stderr.replace(/^npm warn .*\n/gm, '')).toMatch(sentence);
    },
  );

  test('npm run etl says so as JSON, too', async () => {
    const commandLine = ['run', '-s', 'etl', '--', 'status', '--json'];
    const ended = await runWithNode20('npm', commandLine, production, { LOG_FORMAT: 'json' });
    expect(JSON.parse(ended.stdout)).toEqual({
      status: 'failed',
      error: expect.stringMatching(/needs Node 22\.22 or later, found 20\./),
    });
    const [line = ''] = ended.stderr.replace(/^npm warn .*\n/gm, '').split('\n');
    expect(JSON.parse(line)).toMatchObject({ level: 'error', msg: expect.stringContaining('needs Node') });
  });

  test('the installed program says so, by its command and by its bundle', async () => {
    await using installed = await installPackage();
    for (const [command, words] of [
      [installed.command, ['status']],
      ['node', [join(dirname(installed.binaries), 'usage-etl/dist/jobs/usage-etl-bundle.cjs'), 'status']],
    ] as const) {
      const ended = await runWithNode20(command, words, tmpdir());
      expect(ended).toMatchObject({ code: 2, stdout: '' });
      expect(ended.stderr).toMatch(sentence);
    }
    // The same package with a Node that is new enough.
    const version = await new Promise((resolve) => {
      const environment = { PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };
      execFile(installed.command, ['--version'], { env: environment }, (_, stdout) => resolve(stdout.trim()));
    });
    expect(version).toBe(manifest.version);
  });
});
