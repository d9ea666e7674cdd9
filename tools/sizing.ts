/** Makes the table in docs/operations.md from the results of `npm run bench -- --only sizing`. */
import { readFile } from 'node:fs/promises';
import { withTable } from './document-table.ts';
import type { Product } from './product.ts';
import { sizingResults, sizingTable } from './sizing-table.ts';

const document = 'docs/operations.md';
const textOf = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8');

export const sizing: Product = {
  name: 'sizing',
  async files() {
    const results = sizingResults.parse(JSON.parse(await textOf('bench/results/sizing.json')));
    const command = 'npm run bench -- --only sizing';
    return new Map([[document, withTable(await textOf(document), command, sizingTable(results))]]);
  },
};
