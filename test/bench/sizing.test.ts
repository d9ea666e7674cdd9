/** The figures in docs/operations.md are those that were measured. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sizingResults, sizingTable, withSizing } from '../../bench/sizing-table.ts';

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const document = fileOf('docs/operations.md');

test('docs/operations.md shows what bench/results/sizing.json holds', async () => {
  const results = sizingResults.parse(
    JSON.parse(await readFile(fileOf('bench/results/sizing.json'), 'utf8')),
  );
  const text = await readFile(document, 'utf8');
  const wanted = withSizing(text, sizingTable(results));
  if (process.env.UPDATE_DOCUMENTS === '1') await writeFile(document, wanted);
  else expect(text).toBe(wanted);
});

test('small sizes are not shown', () => {
  expect(() =>
    sizingResults.parse({ machine: { date: '', postgres: '' }, quick: true, figures: [] }),
  ).toThrow();
});
