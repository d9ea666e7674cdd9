import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { layerOf, layers } from './layers.ts';

test('every folder with tests belongs to exactly one layer', async () => {
  const entries = await readdir(fileURLToPath(new URL('.', import.meta.url)), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const withTests = folders.filter((name) => !['fixtures', 'libraries', 'support'].includes(name));
  expect(Object.values(layers).flat().sort()).toEqual(['.', ...withTests].sort());
});

test.each([
  ['test/documents.test.ts', 'core'],
  ['warehouse/foreign-owners/code', 'core'],
  ['test/reliability/kills.test.ts', 'system'],
  ['containers/chaos', 'tools'],
  ['elsewhere/chaos', undefined],
])('the layer of %s is %s', (name, layer) => {
  expect(layerOf(name)).toBe(layer);
});
