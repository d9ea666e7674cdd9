/** The Postgres server of the benchmark: embedded, in a temporary directory, with its default (durable) settings. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/embedded/embedded-postgres.ts';
import { migrate } from '../src/warehouse/migrations/migrations.ts';
import { ownNamesOnly } from '../tools/search-path.ts';
import { postmasterOf, serverCpuSeconds } from './server-cpu.ts';

/** A migrated database without rows, which is dropped at its end. */
export interface BenchWarehouse extends AsyncDisposable {
  readonly url: string;
  /** Runs `work` on a separate connection. */
  session<T>(work: (client: pg.Client) => Promise<T>): Promise<T>;
  /** Runs statements in sequence on a separate connection; returns the rows of the last one. */
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

/** The server of one benchmark run. */
export interface BenchServer {
  /** The version of Postgres, such as `18.4`. */
  readonly version: string;
  /** Creates an empty warehouse. A checkpoint then writes its pages, so that they are not written during a measurement. */
  createWarehouse(): Promise<BenchWarehouse>;
  /** Sets a server setting while `work` runs. */
  withSetting<T>(name: string, value: string, work: () => Promise<T>): Promise<T>;
  /** CPU seconds of the server's processes since its start; NaN when the system does not report them. */
  cpuSeconds(): number;
  /** Stops the server and removes its files. */
  stop(): Promise<void>;
}

const template = 'bench_template';

/** Starts the server; `say` logs steps that take time. */
export async function startBenchServer(say: (text: string) => void): Promise<BenchServer> {
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-bench-'));
  // If root runs this, the server runs as another user, who must be able to enter the directory.
  await chmod(directory, 0o711);
  const server = await startEmbeddedPostgres({ directory, database: 'postgres', log: say });
  const stop = async () => {
    await server.stop();
    await rm(server.home, { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await query(server.url, `create database ${template}`);
    await migrate(urlOf(server.url, template));
    const [version] = await query(server.url, 'show server_version');
    const postmaster = await session(server.url, async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      return postmasterOf(rows[0]?.pid ?? 0);
    });
    return {
      version: String(version?.server_version),
      cpuSeconds: () => serverCpuSeconds(postmaster),
      createWarehouse: () => createWarehouse(server.url),
      async withSetting(name, value, work) {
        const reload = 'select pg_reload_conf()';
        await query(server.url, `alter system set ${name} = '${value}'`);
        await query(server.url, reload);
        try {
          return await work();
        } finally {
          await query(server.url, `alter system reset ${name}`);
          await query(server.url, reload);
        }
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function createWarehouse(adminUrl: string): Promise<BenchWarehouse> {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  await query(adminUrl, `create database ${name} template ${template}`);
  await query(adminUrl, 'checkpoint');
  const url = urlOf(adminUrl, name);
  return {
    url,
    session: (work) => session(url, work),
    query: (text, values) => query(url, text, values),
    async [Symbol.asyncDispose]() {
      await query(adminUrl, `drop database ${name} with (force)`);
    },
  };
}

async function query(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  return session(
    url,
    async (client) => (await client.query<Record<string, unknown>>(text, [...values])).rows,
  );
}

/** Runs `work` on a separate connection. */
async function session<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...ownNamesOnly, connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
