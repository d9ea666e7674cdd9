/**
 * Writes the generated files of the named products (by default of all products) below the working directory. With
 * `--check` it writes nothing, lists the files that differ, and exits with 1 if there are any.
 */
import { parseArgs } from 'node:util';
import { commands } from './commands.ts';
import { dataDictionary } from './data-dictionary.ts';
import { openDatabases } from './databases.ts';
import { dbt } from './dbt/project.ts';
import { grafana } from './grafana.ts';
import { questions } from './questions.ts';
import { recipes } from './recipes.ts';
import { sizing } from './sizing.ts';
import { differences, storeFiles } from './stored-files.ts';
import { superset } from './superset.ts';
import { types } from './types.ts';
import { versions } from './versions.ts';

/** In an order in which none is made from files of a later one. */
const products = [
  versions,
  types,
  dataDictionary,
  superset,
  grafana,
  dbt,
  sizing,
  commands,
  questions,
  recipes,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean', default: false } },
});
const names = products.map(({ name }) => name);
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`expected some of ${names.join(', ')}, got ${unknown.join(', ')}\n`);
  process.exit(2);
}

const root = process.cwd();
await using databases = openDatabases();
for (const product of products) {
  if (positionals.length > 0 && !positionals.includes(product.name)) continue;
  const made = { ...product, files: await product.files(databases) };
  if (!values.check) {
    await storeFiles(root, made);
    continue;
  }
  const told = await differences(root, made);
  if (told.length === 0) continue;
  process.exitCode = 1;
  process.stderr.write(`${told.join('\n')}\nRun npm run ${product.name} and commit the result.\n`);
}
