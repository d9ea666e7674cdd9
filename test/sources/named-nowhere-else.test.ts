/** A source and its tables are named in its folder, the registry, migrations and views, and nowhere else. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { flattenOf } from '../../src/flatten/flatten.ts';
import { isReference, namedColumns } from '../../src/model/table.ts';
import { sources } from '../../src/sources/registry.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Where sources may be named: their own folders and what these share, the calls of the platform and its simulation, commands
 * about the resource of the same name, and what is said of views.
 */
const mayName = [
  /^src\/sources\/(?!partitioning\/)/,
  /^src\/model\/platform\//,
  /^src\/simulator\//,
  /^jobs\/computers[./]/,
  /^src\/model\/measures\.ts$/,
  /\.generated\.ts$/,
];
/** Dimensions that no source feeds: every row has an organization, and most a day. */
const ofEveryTable = ['dim_org', 'dim_date'];

const names = sources.map(({ name }) => name);
const tables = sources.flatMap((source) => flattenOf(source).tables);
const dimensions = tables.flatMap((table) =>
  namedColumns(table).flatMap((column) => (isReference(column) ? [column.dimension.table] : [])),
);
const known = new Set([...tables.map(({ name }) => name), ...dimensions, ...ofEveryTable]);

async function filesIn(folder: string): Promise<{ path: string; text: string }[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length));
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })));
}

/** The tables that a text names, and the sources: a name in quotes, in a path, or in a list. */
const tablesIn = (text: string) =>
  [...text.matchAll(/\b(?:fact|dim|bridge)_[a-z_]+\b/g)].map(([name]) => name);
const sourcesIn = (text: string) =>
  [...text.matchAll(/(?<=['"`/,]|endpoints )\w+(?=['"`/,:?])/g)]
    .map(([name]) => name)
    .filter((name) => names.includes(name));

describe.each(['src', 'jobs'])('%s', (folder) => {
  it('names no source and no table of one outside of its folder', async () => {
    const files = (await filesIn(folder)).filter(
      ({ path }) => !mayName.some((allowed) => allowed.test(path)),
    );
    expect(files.length).toBeGreaterThan(15);
    const named = files.flatMap(({ path, text }) =>
      [...tablesIn(text).filter((name) => !ofEveryTable.includes(name)), ...sourcesIn(text)].map(
        (name) => `${path}: ${name}`,
      ),
    );
    expect(named).toEqual([]);
  });
});

it('a source or a table that is named is noticed', () => {
  expect(tablesIn('from warehouse.fact_user_daily as f')).toEqual(['fact_user_daily']);
  for (const text of ["name === 'tokens'", '`/users?limit=1`', '--endpoints tools,users', '"activity": 1'])
    expect(sourcesIn(text), text).not.toEqual([]);
});

it('checks name no table at all: the catalog tells them', async () => {
  for (const { path, text } of await filesIn('sql/checks')) expect(tablesIn(text), path).toEqual([]);
});

it.each(['reconciliations', 'views', 'queries'])(
  '%s name only tables and endpoints that some source has',
  async (folder) => {
    for (const { path, text } of await filesIn(`sql/${folder}`)) {
      expect(
        tablesIn(text).filter((name) => !known.has(name)),
        path,
      ).toEqual([]);
      const endpoints = [
        ...text.matchAll(/\bendpoint = '(\w+)'|'(\w+)' as endpoint|"endpoint": "(\w+)"/g),
      ].map(([, a, b, c]) => a ?? b ?? c);
      expect(
        endpoints.filter((name) => !names.includes(name ?? '')),
        path,
      ).toEqual([]);
    }
  },
);
