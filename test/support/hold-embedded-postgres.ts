/**
 * A program that uses embedded Postgres, for tests. It starts the server in the given directory, prints one line of JSON,
 * waits until its standard input ends, and then stops the server. With `abandon` it ends without stopping the server.
 */
import { startEmbeddedPostgres } from '../../src/embedded/embedded-postgres.ts';

const [directory = '', atEnd] = process.argv.slice(2);
const { url, startedHere, home, stop } = await startEmbeddedPostgres({ directory });
process.stdout.write(`${JSON.stringify({ url, startedHere, home })}\n`);
process.stdin.resume();
process.stdin.once('end', () => {
  if (atEnd !== 'abandon') void stop();
});
