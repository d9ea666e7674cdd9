/** Where the embedded Postgres lies: the same for every working directory, and every start says where. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyCheckout, installPackage } from '../support/package.ts';

let folder: string;
const elsewhere = new Set<string>();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usage-etl-data-'));
  // Root's server runs as another user, who must get through.
  await chmod(folder, 0o711);
});

afterEach(async () => {
  for (const path of elsewhere) await rm(path, { recursive: true, force: true });
  await rm(folder, { recursive: true });
});

/** Runs `status` in a directory; returns where it says that the data lies. */
async function placeOfData(
  program: readonly [string, ...string[]],
  directory: string,
  environment: Record<string, string> = {},
): Promise<string> {
  await mkdir(directory, { recursive: true });
  const [command, ...words] = program;
  const path = `${join(process.execPath, '..')}:${process.env.PATH}`;
  const child = spawn(command, [...words, 'status'], {
    cwd: directory,
    env: { PATH: path, HOME: folder, LOG_FORMAT: 'json', ...environment },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.resume();
  await once(child, 'close');
  expect(child.exitCode, stderr).toBe(0);
  const place = /data in ([^"]+)/.exec(stderr)?.[1] ?? '';
  if (!place.startsWith(folder)) elsewhere.add(place);
  expect(await readdir(directory)).toEqual([]);
  return place;
}

test('an installed program keeps its data in the data directory of its user, wherever it is started', async () => {
  await using installed = await installPackage();
  const program = [installed.command] as const;
  const [here, there] = [join(folder, 'here'), join(folder, 'there')];
  const place = join(folder, '.local/share/usage-etl/postgres');
  expect(await placeOfData(program, here)).toBe(place);
  expect(await placeOfData(program, there)).toBe(place);
  const given = { XDG_DATA_HOME: join(folder, 'data') };
  expect(await placeOfData(program, here, given)).toBe(join(folder, 'data/usage-etl/postgres'));
  // The specification has relative ones ignored.
  expect(await placeOfData(program, here, { XDG_DATA_HOME: 'data' })).toBe(place);
  expect(await placeOfData(program, here, { DATA_DIR: join(folder, 'own') })).toBe(
    join(folder, 'own/postgres'),
  );
});

test('a checkout keeps its data in .data, wherever it is started, and what it has built does so too', async () => {
  const checkout = join(folder, 'checkout');
  await mkdir(checkout);
  await copyCheckout(checkout);
  await chmod(checkout, 0o711);
  const built = spawn('npm', ['run', '-s', 'build'], { cwd: checkout, stdio: 'ignore' });
  await once(built, 'close');
  expect(built.exitCode).toBe(0);
  const place = join(checkout, '.data/postgres');
  for (const file of ['jobs/usage-etl.cjs', 'dist/jobs/usage-etl.cjs'])
    expect(await placeOfData([process.execPath, join(checkout, file)], join(folder, 'here'))).toBe(place);
});
