/** What the documents say of files and settings is so. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const fileOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const textOf = (path: string) => readFile(fileOf(path), 'utf8');

/** What stands in backticks in a text, or in one part of it. */
function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, inside]) => inside ?? []);
}

/** The part of a document under a heading. */
function section(text: string, heading: string): string {
  return text.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
}

test.each([
  ['guarantee of ARCHITECTURE.md', 'ARCHITECTURE.md', 'Guarantees', '| guarantee'],
  ['promise of SECURITY.md', 'SECURITY.md', '# Security', '| promise'],
])('every %s names tests that exist', async (_, document, heading, head) => {
  const rows = section(await textOf(document), heading)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith(head));
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    const tests = quoted(row.split(' | ').at(-1) ?? '');
    expect(tests, row).not.toEqual([]);
    for (const name of tests) expect(existsSync(fileOf(`test/${name}.test.ts`)), name).toBe(true);
  }
});

test('README tells where each part of the API is used, simulated and tested, by files that exist', async () => {
  const rows = section(await textOf('README.md'), "The platform's API")
    .split('\n')
    .filter((line) => /^\| [\d]/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const parts = rows.flatMap(([, part = '']) => part.match(/\d(?:\.\d)?/g) ?? []);
  const documented = ['2.1', '2.2', '2.3', '2.4', '2.5', '2.6', '3', '4.1', '4.2', '4.3', '4.4', '4.5'];
  expect(parts.sort()).toEqual([...documented, '5', '6', '7', '8', '9'].sort());
  for (const [, part, used = '', simulated = '', tested = ''] of rows) {
    const files = [
      ...quoted(used).map((name) => (existsSync(fileOf(`src/${name}`)) ? `src/${name}` : `src/${name}.ts`)),
      ...quoted(simulated).map((name) => `src/simulator/${name}.ts`),
      ...quoted(tested).map((name) => `test/${name}.test.ts`),
    ];
    for (const file of files) expect(existsSync(fileOf(file)), `${part}: ${file}`).toBe(true);
    for (const cell of [simulated, tested]) expect(quoted(cell), part).not.toEqual([]);
  }
});

test('the way of a row in ARCHITECTURE.md leads through files that exist, 25 of them at most', async () => {
  const [, way = ''] = section(await textOf('ARCHITECTURE.md'), 'The way of a row').split('\n\n');
  const files = quoted(way).filter((name) => name.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(15);
  expect(files.length).toBeLessThanOrEqual(25);
  expect(new Set(files).size).toBe(files.length);
  for (const name of files) {
    const path = name.startsWith('jobs/') ? name : `src/${name}`;
    expect(existsSync(fileOf(path)), path).toBe(true);
  }
});

test('ARCHITECTURE.md tells of every folder in src/, and of no other', async () => {
  const floors = section(await textOf('ARCHITECTURE.md'), 'Floors').split('```')[1] ?? '';
  const told = [...floors.matchAll(/^src\/(\w+)\//gm)].map(([, name]) => name);
  expect(told.sort()).toEqual((await readdir(fileOf('src'))).sort());
});

test('ARCHITECTURE.md gives a reason for every dependency, and for no other', async () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(await textOf('package.json'));
  const all = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  const rows = section(await textOf('ARCHITECTURE.md'), 'Dependencies')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const told = rows.flatMap((row) => quoted(row.split(' | ')[0] ?? ''));
  expect(told.sort()).toEqual(all.filter((name) => !name.startsWith('@types/')).sort());
});

test('docs/settings.md and .env.example name every setting, and no other', async () => {
  const [, settings = ''] = (await textOf('src/model/settings.ts')).split('const variables = z.object({');
  const known = [...(settings.split('});')[0] ?? '').matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name);
  expect(known).toContain('API_KEY');
  const tls = ['PGSSLMODE', 'PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY'];
  const all = [...known, ...tls].sort();
  const rows = section(await textOf('docs/settings.md'), 'Variables')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(rows.flatMap((row) => quoted(row.split(' | ')[0] ?? '')).sort()).toEqual(all);
  const example = [...(await textOf('.env.example')).matchAll(/^(?:# )?([A-Z_]+)=/gm)];
  const ofCompose = ['POSTGRES_PASSWORD', 'POSTGRES_PORT'];
  for (const name of ofCompose) expect(await textOf('docker-compose.yml')).toContain(`\${${name}:`);
  expect(example.map(([, name]) => name).sort()).toEqual([...all, ...ofCompose].sort());
});
