/** Superset with the dashboards of this repository, over the database of a demo. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const assets = fileURLToPath(new URL('../../dashboards/superset/', import.meta.url));
const program = fileURLToPath(new URL('superset-site.py', import.meta.url));

/** The folders that Superset reads; what they are made from is beside them. */
const imported = ['charts', 'dashboards', 'databases', 'datasets', 'metadata.yaml'];

const told = z.object({ step: z.string(), port: z.number().optional() });

/** A Superset that is being made. */
export interface SupersetSite {
  /** Its own database is there, and nothing in it. Rejects when it could not be made. */
  readonly made: Promise<void>;
  /** Imports the dashboards twice and serves them over a database. Resolves with the address; `admin` is name and password. */
  serve(database: { readonly url: string; readonly passwords: string }): Promise<string>;
  /** What it wrote so far: the log of the import. */
  log(): string;
  stop(): Promise<void>;
}

/** Starts Superset from its folder of programs. */
export async function startSuperset(bin: string): Promise<SupersetSite> {
  const folder = await mkdtemp(join(tmpdir(), 'usage-etl-superset-'));
  const passwords = join(folder, 'pgpass');
  await writeFile(
    join(folder, 'superset_config.py'),
    [
      `SECRET_KEY = 'only for tests, and never on another machine'`,
      `SQLALCHEMY_DATABASE_URI = 'sqlite:///${join(folder, 'superset.db')}'`,
      'TALISMAN_ENABLED = False',
      'RATELIMIT_ENABLED = False',
      '',
    ].join('\n'),
  );
  const child = spawn(join(bin, 'python'), [program], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TZ: 'UTC',
      SUPERSET_CONFIG_PATH: join(folder, 'superset_config.py'),
      PGPASSFILE: passwords,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const steps = new Map<string, PromiseWithResolvers<number>>();
  const step = (name: string): PromiseWithResolvers<number> => {
    const known = steps.get(name) ?? Promise.withResolvers<number>();
    steps.set(name, known);
    return known;
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) return;
    const { step: name, port = 0 } = told.parse(JSON.parse(line));
    step(name).resolve(port);
  });
  const reached = async (name: string): Promise<number> => {
    const broken = ended.then(() => {
      throw new Error(`expected Superset to get as far as "${name}":\n${log.slice(-5_000)}`);
    });
    return await Promise.race([step(name).promise, broken]);
  };
  const made = reached('made').then(() => undefined);
  // Whoever waits for it hears of it.
  made.catch(() => undefined);
  return {
    made,
    log: () => log,
    async serve(database) {
      const copy = await copyOfAssets(join(folder, 'assets'), database.url);
      await writeFile(passwords, database.passwords, { mode: 0o600 });
      await made;
      child.stdin.end(`${copy}\n`);
      return `http://127.0.0.1:${await reached('serves')}`;
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

/** The files to import, with the address of another database: what docs tell people to do. */
async function copyOfAssets(to: string, url: string): Promise<string> {
  await mkdir(to);
  for (const name of imported) await cp(join(assets, name), join(to, name), { recursive: true });
  const { host, pathname } = new URL(url);
  for (const name of await readdir(join(to, 'databases'))) {
    const file = join(to, 'databases', name);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('@localhost:5432/usage', `@${host}${pathname}`));
  }
  return to;
}
