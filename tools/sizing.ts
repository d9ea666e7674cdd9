/** Makes the table in docs/operations.md from the results of `npm run bench -- --only sizing`. */
import { readFile } from 'node:fs/promises';
import { sizingResults, sizingTable, withSizing } from '../bench/sizing-table.ts';
import type { Product } from './product.ts';

const document = 'docs/operations.md';
const textOf = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8');

export const sizing: Product = {
  name: 'sizing',
  async files() {
    const results = sizingResults.parse(JSON.parse(await textOf('bench/results/sizing.json')));
    return new Map([[document, withSizing(await textOf(document), sizingTable(results))]]);
  },
};
