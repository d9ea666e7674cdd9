/**
 * Another process that uses embedded Postgres, for tests: starts it in the directory given, prints one line
 * of JSON, stays until standard input ends, then stops it; with `abandon`, ends without stopping it.
 */
import { startEmbeddedPostgres } from '../../src/embedded/embedded-postgres.ts';

const [directory = '', atEnd] = process.argv.slice(2);
const { url, startedHere, home, stop } = await startEmbeddedPostgres({ directory });
process.stdout.write(`${JSON.stringify({ url, startedHere, home })}\n`);
process.stdin.resume();
process.stdin.once('end', () => {
  if (atEnd !== 'abandon') void stop();
});
