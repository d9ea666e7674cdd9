import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startProgram } from '../support/program.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

test.each([
  ['jobs/usage-etl.cjs', ['simulate', '--port', '0']],
  ['jobs/usage-etl.ts', ['simulate', '--port', '0']],
  ['jobs/simulate.ts', ['--port', '0']],
])('SIGUSR1 opens no inspector into %s', async (file, commandLine) => {
  const started = startProgram(file, commandLine, {});
  await started.says('the platform is simulated');
  started.process.kill('SIGUSR1');
  started.process.kill('SIGTERM');
  const { code, stderr } = await started.ended;
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/debugger|inspector/i);
});

test('every way to start the program keeps Node from listening for SIGUSR1', async () => {
  const { scripts } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
  const launcher = 'jobs/usage-etl.cjs';
  for (const start of [scripts.etl, scripts.demo]) expect(start).toContain(`node ${launcher}`);
  expect(await readFile(join(checkout, launcher), 'utf8')).toContain("'--disable-sigusr1'");
});

test('whatever the umask, what the program makes is for its owner alone', async () => {
  // Its data lies beside the program: in a copy of it, so that nothing is there yet.
  const copy = await mkdtemp(join(tmpdir(), 'usage-etl-umask-'));
  let elsewhere: string | undefined;
  try {
    for (const part of ['jobs', 'src', 'sql', 'package.json'])
      await cp(join(checkout, part), join(copy, part), { recursive: true });
    await symlink(join(checkout, 'node_modules'), join(copy, 'node_modules'));
    await mkdir(join(copy, 'work'));
    // As root, the account of the server must get here.
    await chmod(copy, 0o711);
    const program = spawn(
      'sh',
      ['-c', 'umask 000; exec "$0" "$@"', process.execPath, join(copy, 'jobs/usage-etl.ts'), 'migrate'],
      {
        cwd: join(copy, 'work'),
        env: { PATH: process.env.PATH, HOME: process.env.HOME },
        stdio: 'ignore',
      },
    );
    await once(program, 'exit');
    expect(program.exitCode).toBe(0);
    const data = join(copy, '.data');
    elsewhere = (await readFile(join(data, 'postgres.location'), 'utf8').catch(() => undefined))?.trim();
    const made = [data, ...(elsewhere === undefined ? [] : [elsewhere])];
    const open = (await Promise.all(made.map(openToOthers))).flat();
    // Directories that the account of root's server passes through.
    const passages = process.getuid?.() === 0 ? ['.data', '.data/postgres'] : [];
    expect(open.filter(({ path }) => !passages.includes(path.slice(copy.length + 1)))).toEqual([]);
    for (const { mode } of open) expect(mode).toBe(0o711);
    expect(await readdir(join(copy, 'work'))).toEqual([]);
  } finally {
    await rm(copy, { recursive: true });
    if (elsewhere !== undefined) await rm(elsewhere, { recursive: true, force: true });
  }
});

/** Files and directories at and below a path that others than their owner may do anything with. */
async function openToOthers(path: string): Promise<{ path: string; mode: number }[]> {
  const status = await lstat(path);
  if (status.isSymbolicLink()) return [];
  const mode = status.mode & 0o777;
  const here = (mode & 0o077) === 0 ? [] : [{ path, mode }];
  if (!status.isDirectory()) return here;
  const below = await Promise.all((await readdir(path)).map((name) => openToOthers(join(path, name))));
  return [...here, ...below.flat()];
}
