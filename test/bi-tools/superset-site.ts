/** Superset with the dashboards of this repository, over the database of a demo. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Login } from './demo.ts';

const assets = fileURLToPath(new URL('../../dashboards/superset/', import.meta.url));
const program = fileURLToPath(new URL('superset-site.py', import.meta.url));

/** The folders that Superset reads; what they are made from is beside them. */
const imported = ['charts', 'dashboards', 'databases', 'datasets', 'metadata.yaml'];

const told = z.object({ step: z.string(), port: z.number().optional() });

/** For each of the two connections, by the name of its file, who logs in where. */
export type Logins = Readonly<Record<'usage' | 'usage_people', Login>>;

/** A Superset that serves. */
export interface SupersetSite {
  readonly address: string;
  /** What the import wrote. */
  readonly log: string;
  stop(): Promise<void>;
}

/** What Superset is asked with: name and password of its one user. */
export const admin = { username: 'admin', password: 'admin' };

/**
 * Starts Superset from its folder of programs, imports the dashboards twice, and resolves when it serves them. Its own
 * database, which takes most of the time, is made once and kept beside the programs.
 */
export async function startSuperset(bin: string, logins: Promise<Logins>): Promise<SupersetSite> {
  const folder = await mkdtemp(join(tmpdir(), 'usage-etl-superset-'));
  const database = join(folder, 'superset.db');
  const passwords = join(folder, 'pgpass');
  const digest = createHash('sha256')
    .update(await readFile(program))
    .digest('hex')
    .slice(0, 12);
  const kept = join(bin, '..', `made-by-${digest}.db`);
  if (existsSync(kept)) await copyFile(kept, database);
  await writeFile(
    join(folder, 'superset_config.py'),
    [
      `SECRET_KEY = 'only for tests, and never on another machine'`,
      `SQLALCHEMY_DATABASE_URI = 'sqlite:///${database}'`,
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
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true });
  };
  const steps = new Map(['made', 'serves'].map((name) => [name, Promise.withResolvers<number>()]));
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{"step"')) return;
    const { step, port = 0 } = told.parse(JSON.parse(line));
    steps.get(step)?.resolve(port);
  });
  const reached = (name: string) =>
    Promise.race([
      steps.get(name)?.promise,
      ended.then((): never => {
        throw new Error(`expected Superset to get as far as "${name}":\n${log.slice(-5_000)}`);
      }),
    ]);
  try {
    await reached('made');
    if (!existsSync(kept)) await keep(database, kept);
    const copy = await copyOfAssets(join(folder, 'assets'), passwords, await logins);
    child.stdin.end(`${copy}\n`);
    const port = await reached('serves');
    return { address: `http://127.0.0.1:${port}`, log, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Another test may do the same at this moment. */
async function keep(database: string, kept: string): Promise<void> {
  const half = `${kept}-${randomBytes(6).toString('hex')}`;
  await copyFile(database, half);
  await rename(half, kept);
}

/** The files to import, with addresses of other databases and a file of passwords: what their README tells people to do. */
async function copyOfAssets(to: string, passwords: string, logins: Logins): Promise<string> {
  await mkdir(to);
  for (const name of imported) await cp(join(assets, name), join(to, name), { recursive: true });
  const lines: string[] = [];
  for (const [name, login] of Object.entries(logins)) {
    const { PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD } = login;
    const file = join(to, 'databases', `${name}.yaml`);
    const text = await readFile(file, 'utf8');
    const address = `//${PGUSER}@${PGHOST}:${PGPORT}/${PGDATABASE}`;
    await writeFile(file, text.replace(/\/\/\w+@localhost:5432\/usage/, address));
    lines.push(`${PGHOST}:${PGPORT}:${PGDATABASE}:${PGUSER}:${PGPASSWORD}\n`);
  }
  await writeFile(passwords, lines.join(''), { mode: 0o600 });
  return to;
}
