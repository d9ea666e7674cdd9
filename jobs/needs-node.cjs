/**
 * Refuses an old version of Node. Any version of Node can run this file. The rest of the program needs a newer one: an old
 * version would only show a SyntaxError. The npm scripts for developers run this file alone.
 */
const needed = [22, 22];
const found = process.versions.node.split('.').map(Number);
if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  const sentence = `needs Node ${needed.join('.')} or later, found ${process.versions.node}`;
  const advice = 'install a newer one, or run `npm ci --include=dev` in a checkout, which brings one along';
  if (process.argv.indexOf('--json') > 0)
    console.log(JSON.stringify({ status: 'failed', error: `${sentence}: ${advice}` }));
  console.error(
    process.env.LOG_FORMAT === 'json'
      ? JSON.stringify({ level: 'error', time: new Date().toISOString(), msg: `${sentence}: ${advice}` })
      : `usage-etl: ${sentence}: ${advice}`,
  );
  process.exit(2);
}
