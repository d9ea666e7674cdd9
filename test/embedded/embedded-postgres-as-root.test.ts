import { chmod, cp, mkdir, readFile, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/embedded/embedded-postgres.ts';
import { binariesFor, findBinaries } from '../../src/embedded/embedded-postgres-binaries.ts';
import { run } from '../../src/embedded/run-program.ts';
import {
  failureInOtherProcess,
  leaveMark,
  query,
  repository,
  setUpEmbeddedTests,
} from '../support/embedded-tests.ts';

const tests = setUpEmbeddedTests();

describe.runIf(process.getuid?.() === 0)('startEmbeddedPostgres as root', () => {
  test('runs the server as another user', async () => {
    await tests.takePreparedCluster();
    const server = await tests.start();
    expect((await stat(join(server.home, 'server/data'))).uid).not.toBe(0);
    expect((await stat(server.home)).uid).toBe(0);
  });

  test('keeps the data elsewhere when that user cannot enter the directory, and finds it again', async () => {
    await chmod(tests.parent, 0o700);
    const first = await tests.start();
    expect(first.home.startsWith(tests.parent)).toBe(false);
    // With its last cluster, the directory that the system's clusters share is empty.
    onTestFinished(() => rmdir(dirname(first.home)).catch(() => undefined));
    expect(await readFile(join(tests.directory, 'postgres.location'), 'utf8')).toBe(`${first.home}\n`);
    const mark = await leaveMark(first.url);
    await first.stop();

    const second = await tests.start();
    expect(second.home).toBe(first.home);
    expect(await query(second.url, 'select mark from public.marks')).toEqual([mark]);
  });

  test('does not begin anew when the data became unreachable', async () => {
    await tests.takePreparedCluster();
    const server = await tests.start();
    await server.stop();
    await chmod(tests.parent, 0o700);
    await expect(startEmbeddedPostgres({ directory: tests.directory })).rejects.toThrow(
      /expected user .* to be able to enter/,
    );
    expect((await stat(join(server.home, 'server/data'))).isDirectory()).toBe(true);
  });

  test('copies the programs once when that user cannot reach them', async () => {
    await tests.takePreparedCluster();
    const found = await findBinaries();
    const locked = join(tests.parent, 'locked');
    await mkdir(locked, { mode: 0o700 });
    await cp(dirname(dirname(dirname(found.initdb))), join(locked, 'package'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    const unreachable = {
      initdb: join(locked, 'package/native/bin/initdb'),
      pgCtl: join(locked, 'package/native/bin/pg_ctl'),
    };
    const { uid, gid } = await stat(join(tests.directory, 'postgres/server'));
    const account = { name: 'the server account', uid, gid };
    const home = join(tests.parent, 'home');
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
    await tests.takePreparedCluster();
    const { uid, gid } = await stat(join(tests.directory, 'postgres/server'));
    const module = join(repository, 'src/embedded/embedded-postgres.ts');
    const failure = await failureInOtherProcess(module, tests.directory, { uid, gid });
    expect(failure).toContain('set DATABASE_URL');
  });
});
