/** What the documents say of files and settings is so. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readPeopleFile } from '../src/model/imports/people-file.ts';
import { readPricesFile } from '../src/model/imports/prices-file.ts';
import { countedTests, layersOf } from './layers.ts';
import { documents } from './support/commands-in-documents.ts';

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

/** The rows of a document's tables, by cell, without their heads. */
function rowsOf(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('| '));
  return lines.map((line) => line.slice(2, -2).split(' | '));
}

const guarantees = rowsOf(await textOf('docs/guarantees.md')).filter(([name]) => name !== 'guarantee');
const promises = rowsOf(section(await textOf('SECURITY.md'), '# Security')).filter(
  ([name]) => name !== 'promise',
);

test('guarantees and promises of security name tests that exist, and each of them once', () => {
  expect(guarantees.length).toBeGreaterThan(100);
  expect(promises.length).toBeGreaterThan(20);
  const all = [...guarantees, ...promises];
  expect(new Set(all.map(([name]) => name)).size).toBe(all.length);
  for (const [name = '', , tests = ''] of all) {
    expect(quoted(tests), name).not.toEqual([]);
    for (const file of quoted(tests)) expect(existsSync(fileOf(`test/${file}.test.ts`)), file).toBe(true);
  }
});

test('the layer of a guarantee is that of its tests', async () => {
  const lines = (await textOf('docs/guarantees.md')).split('\n').map((line) => {
    if (!line.startsWith('| ') || line.startsWith('| guarantee')) return line;
    const cells = line.slice(2, -2).split(' | ').slice(0, 3);
    const layer = layersOf(quoted(cells[2] ?? '')).map((name) => `\`${name}\``);
    return `| ${[...cells, layer.join(', ')].join(' | ')} |`;
  });
  await expect(lines.join('\n')).toMatchFileSnapshot('../docs/guarantees.md');
  const counted = (await textOf('.ci/full')).matchAll(/ random USAGE_ETL_\w+ \d+ ([\w-]+)$/gm);
  expect([...counted].map(([, name]) => `reliability/${name}`).sort()).toEqual([...countedTests].sort());
});

test('CONTRIBUTING.md tells where each part of the API is used, simulated and tested, by files that exist', async () => {
  const rows = section(await textOf('CONTRIBUTING.md'), "The platform's API")
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

test('the files for imports in docs/operations.md are read as they stand there', async () => {
  const teams = section(await textOf('docs/operations.md'), 'Teams and prices');
  const [people, prices] = [...teams.matchAll(/```csv\n([^`]*)```/g)].map(([, text = '']) =>
    Buffer.from(text),
  );
  const problems: string[] = [];
  expect(readPeopleFile(people ?? Buffer.of(), { withholdsEmails: false }, problems)).toHaveLength(3);
  expect(readPricesFile(prices ?? Buffer.of(), problems)).toHaveLength(3);
  expect(problems).toEqual([]);
});

test('ARCHITECTURE.md has at most 900 words', async () => {
  expect((await textOf('ARCHITECTURE.md')).split(/\s+/).length).toBeLessThanOrEqual(900);
});

test('the way of a row leads through at most 30 files, each imported by one above it', async () => {
  const way = section(await textOf('ARCHITECTURE.md'), 'The way of a row');
  const steps = [...way.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, name = '']) => name);
  expect(steps.length).toBeGreaterThan(15);
  expect(steps.length).toBeLessThanOrEqual(30);
  expect(new Set(steps).size).toBe(steps.length);
  const imported = new Set<string>();
  for (const [index, name] of steps.entries()) {
    const path = fileOf(name.startsWith('jobs/') ? name : `src/${name}`);
    // A source is data, which the registry hands on.
    if (index > 0 && !name.startsWith('sources/')) expect(imported).toContain(path);
    for (const [, from = ''] of (await readFile(path, 'utf8')).matchAll(/from '(\.[^']+)'/g))
      imported.add(join(dirname(path), from));
  }
});

test('ARCHITECTURE.md tells of every folder of src, src/pipeline and src/warehouse, and of no other', async () => {
  const floors = section(await textOf('ARCHITECTURE.md'), 'Floors').split('```')[1] ?? '';
  const told = [...floors.matchAll(/^src\/(\w+)\//gm)].map(([, name]) => name);
  expect(told.sort()).toEqual((await readdir(fileOf('src'))).sort());
  for (const floor of ['pipeline', 'warehouse']) {
    const [, inside = ''] = new RegExp(`^src/${floor}/.*\\n((?: {4}.*\\n)+)`, 'm').exec(floors) ?? [];
    const rooms = inside
      .trimEnd()
      .split('\n')
      .flatMap(
        (line) => line.trim().replace('a folder per command: ', '').split(/ {2,}/)[0]?.split(', ') ?? [],
      );
    const entries = await readdir(fileOf(`src/${floor}`), { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(rooms.sort(), floor).toEqual(folders.sort());
  }
});

test('docs/decisions.md gives a reason for every dependency, and for no other', async () => {
  const manifests = await Promise.all(['package.json', 'test/libraries/package.json'].map(textOf));
  const all = manifests.flatMap((text) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(text);
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  });
  const rows = rowsOf(section(await textOf('docs/decisions.md'), 'Dependencies'));
  const told = rows.flatMap(([names = '']) => quoted(names));
  expect(told.sort()).toEqual(all.filter((name) => !name.startsWith('@types/')).sort());
});

/** A heading as links name it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

test.each(await documents())(
  'every link in %s leads to a file and a heading that exist',
  async (document) => {
    for (const [, link = ''] of (await textOf(document)).matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? document : join(dirname(document), path);
      expect(existsSync(fileOf(target)), link).toBe(true);
      if (anchor === undefined) continue;
      const headings = (await textOf(target)).matchAll(/^#+ (.*)$/gm);
      expect([...headings].map(([, heading = '']) => anchorOf(heading))).toContain(anchor);
    }
  },
);

test('README.md has at most 110 lines', async () => {
  expect((await textOf('README.md')).trimEnd().split('\n').length).toBeLessThanOrEqual(110);
});

test('README.md has a short line for each command', async () => {
  const commands = rowsOf(section(await textOf('README.md'), 'Commands')).filter(([name]) =>
    name?.includes('docs/commands.md#'),
  );
  expect(commands.length).toBeGreaterThanOrEqual(20);
  for (const [name, does = ''] of commands) expect(does.split(' ').length, name).toBeLessThanOrEqual(20);
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

test('.env.example begins with what README.md tells to set, and has what is stored of persons in one place', async () => {
  const subjects = (await textOf('.env.example'))
    .split('\n\n')
    .map((text) => [...text.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name));
  const [, told = ''] = /cp -n \.env\.example \.env +# set (.*)/.exec(await textOf('README.md')) ?? [];
  const toSet = told.split(/, | and /);
  expect(toSet).toHaveLength(3);
  expect(subjects.slice(0, 3).flat()).toEqual(expect.arrayContaining(toSet));
  expect(subjects.find((names) => names.includes('USER_EMAIL'))).toEqual([
    'USER_EMAIL',
    'SESSION_TEXT',
    'SESSION_SPOOL_DIR',
  ]);
});
