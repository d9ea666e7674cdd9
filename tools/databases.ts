/** Creates databases for tools when they are first needed. */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/embedded/embedded-postgres.ts';
import { startServer } from './postgres-server.ts';
import type { Databases } from './product.ts';
import { ownNamesOnly } from './search-path.ts';
import { createMigratedDatabase, databaseUrl, dropTemplate } from './template-database.ts';

const program = fileURLToPath(new URL('../jobs/usage-etl.ts', import.meta.url));

/** Opens the databases; they are dropped when the returned object is disposed of. */
export function openDatabases(): Databases & AsyncDisposable {
  const stack = new AsyncDisposableStack();
  let empty: Promise<pg.Pool> | undefined;
  return {
    empty() {
      empty ??= startEmpty(stack);
      return empty;
    },
    demo: (to) => startDemo(stack, to),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function startEmpty(stack: AsyncDisposableStack): Promise<pg.Pool> {
  const server = await startServer();
  stack.defer(() => server.stop());
  const template = await createMigratedDatabase(server.adminUrl);
  stack.defer(() => dropTemplate(server.adminUrl, template));
  return openPool(stack, databaseUrl(server.adminUrl, template.name));
}

/** Runs a demo and opens the database that it leaves behind. */
async function startDemo(stack: AsyncDisposableStack, to: string): Promise<pg.Pool> {
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-demo-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  // If root runs this, the server runs as another user, who must be able to enter the directory.
  await chmod(directory, 0o711);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, 'demo', '--to', to, '--exit', '--json'],
    { cwd: directory, env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: directory } },
  );
  const { pathname } = new URL(JSON.parse(stdout).url);
  const server = await startEmbeddedPostgres({ directory, database: pathname.slice(1) });
  stack.defer(() => rm(server.home, { recursive: true, force: true }));
  stack.defer(() => server.stop());
  return openPool(stack, server.url);
}

function openPool(stack: AsyncDisposableStack, connectionString: string): pg.Pool {
  const pool = new pg.Pool({ ...ownNamesOnly, connectionString });
  // A pool ends before its last connection has closed. Dropping the database then breaks it, which is no error.
  pool.on('error', () => undefined);
  stack.defer(() => pool.end());
  return pool;
}
