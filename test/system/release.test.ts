/** What .ci/release makes: the package, the list of its parts, and a way to see that both are what they should be. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const textOf = (path: string) => readFile(join(checkout, path), 'utf8');

const manifestText = await textOf('package.json');
const manifest = JSON.parse(manifestText);
const name = `usage-etl-${manifest.version}`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usage-etl-release-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('the version stands in package.json, and everything else agrees with it', async () => {
  const { version, packages } = JSON.parse(await textOf('package-lock.json'));
  expect([version, packages[''].version]).toEqual([manifest.version, manifest.version]);
  const [, first] = /^## (\S+)/m.exec(await textOf('CHANGELOG.md')) ?? [];
  expect(first).toBe(manifest.version);
});

describe('.ci/release', () => {
  let said: { readonly stdout: string; readonly stderr: string };
  let files: readonly string[];
  let unpacked: string;

  beforeAll(async () => {
    said = await run('bash', ['.ci/release', join(folder, 'made')], { cwd: checkout });
    unpacked = join(folder, 'unpacked');
    await mkdir(unpacked);
    const archive = join(folder, 'made', `${name}.tgz`);
    await run('tar', ['-xzf', archive, '-C', unpacked]);
    files = (await run('tar', ['-tzf', archive])).stdout
      .trim()
      .split('\n')
      .map((file) => file.replace(/^package\//, ''));
  });

  test('packs the program, its SQL, its README and its changelog, and nothing else', async () => {
    const { stdout } = await run('git', ['ls-files', 'sql'], { cwd: checkout });
    const sql = stdout.trim().split('\n');
    expect(files).toEqual(expect.arrayContaining(sql.map((file) => `dist/${file}`)));
    const others = files.filter((file) => !file.startsWith('dist/sql/'));
    expect(others).toEqual(
      expect.arrayContaining(['CHANGELOG.md', 'README.md', 'package.json', 'dist/jobs/usage-etl.cjs']),
    );
    const known = /^(?:CHANGELOG\.md|README\.md|package\.json|dist\/(?:jobs|src\/bundle)\/[\w-]+\.cjs)$/;
    expect(others.filter((file) => !known.test(file))).toEqual([]);
    expect(await readFile(join(unpacked, 'package/CHANGELOG.md'), 'utf8')).toBe(await textOf('CHANGELOG.md'));
  });

  test('packs nothing twice: what is bundled is no dependency of the package', async () => {
    const packed = JSON.parse(await readFile(join(unpacked, 'package/package.json'), 'utf8'));
    expect(packed).toMatchObject({ name: 'usage-etl', version: manifest.version, private: true });
    expect(packed.dependencies).toBeUndefined();
    expect(packed.devDependencies).toBeUndefined();
    expect(packed.scripts).toBeUndefined();
    expect(packed.optionalDependencies).toEqual(manifest.optionalDependencies);
    const bytes = Number((await run('sh', ['-c', `du -sb "${unpacked}" | cut -f1`])).stdout);
    expect(bytes).toBeLessThan(4_500_000);
  });

  test('installs the package in an empty folder, with few others, and has it show its demo', () => {
    const [, packages, end] = /; (\d+) packages installed; (.*)/.exec(said.stdout) ?? [];
    expect(end).toBe('demo good');
    // The embedded Postgres and what it takes.
    expect(Number(packages)).toBeGreaterThan(1);
    expect(Number(packages)).toBeLessThanOrEqual(20);
  });

  test('lists every package that is bundled or installed, and none of the developers', async () => {
    const file = join(folder, 'made', `${name}.cdx.json`);
    const sbom = z
      .object({
        bomFormat: z.literal('CycloneDX'),
        metadata: z.object({ component: z.object({ name: z.string(), version: z.string() }) }),
        components: z.array(z.object({ name: z.string(), version: z.string(), purl: z.string() })),
      })
      .parse(JSON.parse(await readFile(file, 'utf8')));
    expect(sbom.metadata.component).toEqual({ name: 'usage-etl', version: manifest.version });
    const listed = sbom.components.map((component) => component.name);
    expect(listed).toEqual(
      expect.arrayContaining(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })),
    );
    expect(listed).not.toContain('vitest');
    expect(listed).not.toContain('rolldown');
    expect(said.stdout).toMatch(/^\d+ packages bundled, \d+ listed$/m);
  });

  test('refuses a list that lacks a package of the bundle', async () => {
    const dist = join(folder, 'dist');
    await mkdir(dist);
    const source = `${join(checkout, 'node_modules')}/zod/index.js`;
    await writeFile(join(dist, 'a.cjs.map'), JSON.stringify({ sources: [source] }));
    await writeFile(join(folder, 'empty.json'), '{"components": []}');
    await expect(
      run(process.execPath, ['.ci/sbom-is-whole.cjs', dist, join(folder, 'empty.json')], { cwd: checkout }),
    ).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/not listed: zod@/) });
  });

  test('writes checksums of both files', async () => {
    const { stdout } = await run('sha256sum', ['-c', 'SHA256SUMS'], { cwd: join(folder, 'made') });
    expect(stdout).toBe(`${name}.tgz: OK\n${name}.cdx.json: OK\n`);
  });

  test('leaves the checkout as it was, and says what speaks against publishing', async () => {
    expect(await textOf('package.json')).toBe(manifestText);
    const isReleased = !/^## .*unreleased/m.test(await textOf('CHANGELOG.md'));
    expect(said.stderr.includes('NOT FOR PUBLISHING: CHANGELOG.md calls')).toBe(!isReleased);
  });

  test('refuses a version of which the changelog says nothing', async () => {
    const copy = join(folder, 'copy');
    await cp(join(checkout, '.ci'), join(copy, '.ci'), { recursive: true });
    await symlink(join(checkout, 'node_modules'), join(copy, 'node_modules'));
    await writeFile(join(copy, 'package.json'), manifestText);
    await writeFile(join(copy, 'CHANGELOG.md'), '# Changelog\n\n## 0.0.1\n');
    await expect(run('bash', ['.ci/release'], { cwd: copy })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('one of them was forgotten'),
    });
  });
});

test('npm pack says which tools it needs, gives package.json back, and refuses one that it could not give back before', async () => {
  const copy = join(folder, 'again');
  await cp(join(checkout, '.ci'), join(copy, '.ci'), { recursive: true });
  await mkdir(join(copy, 'dist'));
  await writeFile(join(copy, 'package.json'), manifestText);
  const change = (word: string) => run(process.execPath, ['.ci/package-manifest.cjs', word], { cwd: copy });
  // Here is no node_modules, and `npm ci --omit=dev` leaves the same tool out.
  await expect(change('needs-tools')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('run `npm ci` without `--omit=dev` first'),
  });
  await change('for-package');
  await expect(change('for-package')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('git checkout package.json'),
  });
  await change('for-checkout');
  expect(await readFile(join(copy, 'package.json'), 'utf8')).toBe(manifestText);
});
