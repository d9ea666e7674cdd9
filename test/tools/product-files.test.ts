/** Tools that write files of this repository say by `--check` which of them differ. `npm run lint` asks them all. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ended, startProgram } from '../support/program.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usage-etl-tools-'));
});

afterEach(() => rm(folder, { recursive: true }));

const dashboard = () => join(folder, 'dashboards/grafana/cost.json');

/** Runs the tools as if the folder was the repository. */
function runTools(...words: readonly string[]): Promise<Ended> {
  return startProgram('tools/product-files.ts', words, {}, folder).ended;
}

test('files are written once, and then agree', async () => {
  expect(await runTools('grafana')).toMatchObject({ code: 0, stderr: '' });
  const text = await readFile(dashboard(), 'utf8');
  expect(await runTools('grafana', '--check')).toMatchObject({ code: 0, stderr: '' });
  expect(await runTools('grafana')).toMatchObject({ code: 0 });
  expect(await readFile(dashboard(), 'utf8')).toBe(text);
});

test('a file that is missing, differs or is left over is named, and nothing is written', async () => {
  await runTools('grafana');
  const text = await readFile(dashboard(), 'utf8');
  await writeFile(dashboard(), text.replace('"title":', '"titel":'));
  await rm(join(folder, 'dashboards/grafana/overview.json'));
  await writeFile(join(folder, 'dashboards/grafana/old.json'), '{}');
  const { code, stderr } = await runTools('--check', 'grafana');
  expect(code).toBe(1);
  expect(stderr).toMatch(/cost\.json: line \d+: expected ".*\\"title\\":.*", found ".*\\"titel\\":.*"/);
  expect(stderr).toContain('overview.json: is missing');
  expect(stderr).toContain('old.json: is obsolete');
  expect(stderr).toContain('Run npm run grafana');
  expect(await readdir(join(folder, 'dashboards/grafana'))).not.toContain('overview.json');

  await runTools('grafana');
  expect(await readFile(dashboard(), 'utf8')).toBe(text);
  expect(await runTools('--check', 'grafana')).toMatchObject({ code: 0, stderr: '' });
  expect(await readdir(join(folder, 'dashboards/grafana'))).not.toContain('old.json');
});

test('a name that no tool has is refused, with those that there are', async () => {
  const { code, stderr } = await runTools('pictures');
  expect(code).toBe(2);
  expect(stderr).toMatch(/expected some of .*grafana.*, got pictures/);
});
