/**
 * What package.json says inside a package: `npm pack` runs this before (`needs-tools`, which checks that the package can
 * be built, and `for-package`) and after (`for-checkout`). The `dependencies` are those of the sources. A package has
 * them in its bundle, so that npm must not install them again.
 */
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const file = join(__dirname, '../package.json');
const saved = join(__dirname, '../dist/package.json.of-checkout');
const kept = ['name', 'version', 'description', 'type', 'private', 'license', 'engines', 'bin', 'files'];

if (process.argv[2] === 'needs-tools') {
  if (!existsSync(join(__dirname, '../node_modules/rolldown'))) {
    console.error('npm pack needs the tools that build the program; run `npm ci` without `--omit=dev` first');
    process.exit(2);
  }
} else if (process.argv[2] === 'for-package') {
  const text = readFileSync(file, 'utf8');
  const manifest = JSON.parse(text);
  if (manifest.dependencies === undefined) {
    console.error(
      'package.json: expected the one of a checkout, found what an earlier `npm pack` that was interrupted left; ' +
        'run `git checkout package.json` first',
    );
    process.exit(2);
  }
  writeFileSync(saved, text);
  // The embedded Postgres is looked up where it is installed: see rolldown.config.ts.
  const names = [...kept, 'optionalDependencies'];
  const packed = Object.fromEntries(names.map((name) => [name, manifest[name]]));
  writeFileSync(file, `${JSON.stringify(packed, null, 2)}\n`);
} else if (existsSync(saved)) renameSync(saved, file);
