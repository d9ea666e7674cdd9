/** Says by exit code whether a list of parts (CycloneDX) has every package of which a bundle holds a module: DIST SBOM. */
const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { dirname, join, resolve } = require('node:path');

const [dist, sbom] = process.argv.slice(2);
const listed = new Set(
  JSON.parse(readFileSync(sbom, 'utf8')).components.map(({ name, version }) => `${name}@${version}`),
);
const bundled = new Set();
for (const file of readdirSync(dist, { recursive: true })) {
  if (!file.endsWith('.map')) continue;
  const map = join(dist, file);
  for (const source of JSON.parse(readFileSync(map, 'utf8')).sources) {
    const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(resolve(dirname(map), source)) ?? [];
    if (folder === undefined || !existsSync(join(folder, 'package.json'))) continue;
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    bundled.add(`${name}@${version}`);
  }
}
const missing = [...bundled].filter((each) => !listed.has(each));
if (bundled.size === 0 || missing.length > 0) {
  console.error(
    `expected the bundle to hold packages that are all listed; it holds ${bundled.size}, not listed: ${missing}`,
  );
  process.exit(1);
}
console.log(`${bundled.size} packages bundled, ${listed.size} listed`);
