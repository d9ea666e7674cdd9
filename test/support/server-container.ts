/** A Postgres server in a container, by the command-line client of the engine. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { described, fastSettings, type PostgresServer } from '../../tools/postgres-server.ts';
import { docker, dockerEnds, until } from './containers.ts';

export const image = 'postgres:18';

/** The container ends with the process that started it, however that ends: its standard input ends then, too. */
const untilInputEnds = 'docker-entrypoint.sh "$@" & read -r _';

/** Starts it without durability; downloads the image first where it is missing. Throws what the client says. */
export async function startContainer(): Promise<PostgresServer> {
  const { host, published } = addressOfEngine();
  const [name, password] = [`usage-etl-test-${randomUUID()}`, randomUUID()];
  const client = spawn(
    'docker',
    [
      ...['run', '--rm', '--interactive', '--attach=stdin', '--entrypoint=sh', `--name=${name}`],
      // Images since 18 keep their data below this directory, not in `data`.
      ...[`--env=POSTGRES_PASSWORD=${password}`, `--publish=${published}`, '--tmpfs=/var/lib/postgresql'],
      ...[image, '-c', untilInputEnds, 'sh', 'postgres'],
      ...Object.entries(fastSettings).flatMap(([setting, value]) => ['-c', `${setting}=${value}`]),
    ],
    // Ctrl-C is for the tests, which end it.
    { stdio: ['pipe', 'ignore', 'pipe'], detached: true },
  );
  const ended = Promise.all([text(client.stderr), once(client, 'close')]);
  const stop = async () => {
    client.stdin.end();
    await ended;
  };
  const isReady = async () =>
    client.exitCode !== null || (await dockerEnds('exec', name, 'pg_isready', '--host=127.0.0.1')).code === 0;
  await until(isReady);
  if (client.exitCode !== null) throw new Error((await ended)[0].trim() || 'docker run ended');
  const [, port] = /:(\d+)$/m.exec(await docker('port', name, '5432')) ?? [];
  // It is on this machine, whatever its address; the program warns of others that say nothing of TLS.
  const url = `postgres://postgres:${password}@${host}:${port}/postgres?sslmode=disable`;
  return await described(`a container from ${image}`, url, stop);
}

/** Where ports of containers are, and how they are published there. */
function addressOfEngine(): { readonly host: string; readonly published: string } {
  const engine = process.env.DOCKER_HOST;
  return engine === undefined || engine.startsWith('unix://')
    ? { host: '127.0.0.1', published: '127.0.0.1::5432' }
    : { host: new URL(engine).hostname, published: '5432' };
}
