/**
 * `npm ci` runs this at its end. If npm itself runs on a version of Node that is too old, it says which one the program
 * needs. Any version of Node can run this file. The warnings of npm, one for each package, are switched off in .npmrc.
 */
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
const numbersOf = (version) => version.split('.').map(Number);

const [, needed] = />=([\d.]+)/.exec(manifestOf('.').engines.node);
// This file may run with the Node of the checkout: npm's user agent names the Node with which npm runs.
const [, found] = /\bnode\/v([\d.]+)/.exec(process.env.npm_config_user_agent) || [0, process.versions.node];
const [[major, minor], [foundMajor, foundMinor]] = [needed, found].map(numbersOf);

if (foundMajor < major || (foundMajor === major && foundMinor < minor)) {
  const newer = 'install a newer one (https://nodejs.org/en/download)';
  const brought = 'node_modules/node';
  const advice = existsSync(join(root, brought))
    ? `\`npm run\` uses Node ${manifestOf(brought).version}, which \`npm ci\` brought along; for all else ${newer}`
    : `${newer}, or run \`npm ci --include=dev\`, which brings one along`;
  console.error(`\nusage-etl: needs Node ${needed} or later, found ${found}: ${advice}\n`);
}
