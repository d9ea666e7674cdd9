/**
 * Checks that imports point down only: from floor to floor, and within a floor from a room (a folder in it) to those below.
 * Prints the imports that do not, and ends with 1 if there are any. Biome finds circles between files.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** The floors of ARCHITECTURE.md, from the top down. Folders of one floor never import each other. */
const floors: readonly (readonly string[])[] = [
  ['jobs', 'bench'],
  ['tools'],
  ['dashboards'],
  ['src/pipeline'],
  ['src/extract', 'src/sources', 'src/warehouse', 'src/embedded', 'src/simulator', 'src/reporting'],
  ['src/flatten'],
  ['src/model'],
];

/** The rooms of a floor, from the top down. A room imports only rooms that stand after it. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  'src/pipeline': [
    'monitor',
    'status',
    'demo',
    'queue',
    'nights',
    'loading',
    'imports',
    'limits',
    'verify',
    'doctor',
    'report',
    'sessions',
    'maintenance',
    'removal',
    'load',
    'receive',
    'organizations',
    'organization',
    'runs',
    'plan',
  ],
  'src/warehouse': [
    'removal',
    'archive',
    'ledger',
    'load',
    'checks',
    'imports',
    'limits',
    'maintenance',
    'sums',
    'migrations',
    'queue',
    'locks',
    'connection',
  ],
};

/** Imports within a floor that are allowed for a reason. */
const exceptions: readonly { readonly from: RegExp; readonly to: RegExp }[] = [
  // The simulated platform serves what the sources describe.
  { from: /^src\/simulator\//, to: /^src\/sources\/[^/]+\/schema\.ts$/ },
  // docs/commands.md is made from the help of the commands.
  { from: /^tools\/commands\.ts$/, to: /^jobs\// },
];

/** The relative imports of a module, types and `import()` included, as paths from the root. */
function importsOf(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (
      'source' in node &&
      typeof node.source === 'object' &&
      node.source !== null &&
      'value' in node.source
    ) {
      const { value } = node.source;
      if (typeof value === 'string' && value.startsWith('.')) found.push(join(file, '..', value));
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(text, { lang: 'ts' }));
  return found;
}

/** Why the file `from` may not import the file `to`; undefined if it may. */
function problem(from: string, to: string): string | undefined {
  if (exceptions.some((allowed) => allowed.from.test(from) && allowed.to.test(to))) return undefined;
  if (to.startsWith('test/')) return 'only tests import tests; shared code belongs in tools/';
  const [above, below] = [placeOf(from), placeOf(to)];
  if (below === undefined) return undefined;
  if (above === undefined) return `${from} has no floor`;
  if (above.folder !== below.folder) {
    return above.floor < below.floor ? undefined : `${above.folder} must not import ${below.folder}`;
  }
  const [upper, lower] = [roomOf(above.folder, from), roomOf(below.folder, to)];
  if (lower === undefined || upper === lower) return undefined;
  const order = rooms[above.folder] ?? [];
  for (const room of [upper, lower]) {
    if (room !== undefined && !order.includes(room))
      return `${above.folder}/${room} has no place among the rooms in tools/floors.ts`;
  }
  if (upper === undefined || order.indexOf(upper) < order.indexOf(lower)) return undefined;
  return `${above.folder}/${upper} must not import ${above.folder}/${lower}`;
}

function placeOf(file: string): { readonly floor: number; readonly folder: string } | undefined {
  for (const [floor, folders] of floors.entries()) {
    const folder = folders.find((each) => file.startsWith(`${each}/`));
    if (folder !== undefined) return { floor, folder };
  }
  return undefined;
}

/** The room of a file; undefined for a file directly in `folder`, and for a floor without rooms. */
function roomOf(folder: string, file: string): string | undefined {
  if (rooms[folder] === undefined) return undefined;
  const [room, ...rest] = file.slice(folder.length + 1).split('/');
  return rest.length === 0 ? undefined : room;
}

const problems: string[] = [];
for (const folder of floors.flat()) {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  for (const name of names.filter((each) => each.endsWith('.ts'))) {
    const file = join(folder, name);
    for (const imported of importsOf(file, await readFile(file, 'utf8'))) {
      const told = problem(file, imported);
      if (told !== undefined) problems.push(`${file} imports ${imported}: ${told}`);
    }
  }
}
if (problems.length > 0) {
  process.stderr.write(
    `${problems.join('\n')}\nImports point down only; see the floors in ARCHITECTURE.md.\n`,
  );
  process.exitCode = 1;
}
