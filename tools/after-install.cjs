/**
 * What `npm ci` says last: which Node the program needs, where npm itself runs on one that is too old. Every Node can run
 * this file. npm's own warnings, one for each package, are off in .npmrc.
 */
var fs = require('fs');
var path = require('path');

var root = path.join(__dirname, '..');
function manifestOf(folder) {
  return JSON.parse(fs.readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
}

var needed = /(\d+)\.(\d+)/.exec(manifestOf('.').engines.node);
// The scripts of npm find the Node of the checkout first; what matters is the one that npm was called with.
var found =
  /\bnode\/v(\d+)\.(\d+)\S*/.exec(process.env.npm_config_user_agent || '') ||
  /^(\d+)\.(\d+).*/.exec(process.versions.node);
var isOld =
  Number(found[1]) < Number(needed[1]) || (found[1] === needed[1] && Number(found[2]) < Number(needed[2]));
if (isOld) {
  var newer = 'a newer one is at https://nodejs.org/en/download';
  var advice = fs.existsSync(path.join(root, 'node_modules/node/package.json'))
    ? '`npm run` uses Node ' +
      manifestOf('node_modules/node').version +
      ', which `npm ci` brought along; for all else, ' +
      newer
    : 'nothing runs until you install it; ' + newer + ', or `npm ci --include=dev` brings one along';
  console.error(
    '\nusage-etl: needs Node ' +
      needed[0] +
      ' or later, npm was called with ' +
      found[0].replace('node/v', '') +
      ': ' +
      advice +
      '\n',
  );
}
