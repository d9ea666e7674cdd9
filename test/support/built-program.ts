/** The program built by `npm run build`, in a folder of its own. It starts three times as fast as the sources. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** A program that was built. */
export interface BuiltProgram {
  /** Its file. */
  readonly file: string;
  /** Its data folder, apart from the one of the developer. */
  readonly environment: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Builds the program, for a test that starts it again and again. */
export async function buildProgram(): Promise<BuiltProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'usage-etl-built-'));
  const dist = join(folder, 'dist');
  const rolldown = join(checkout, 'node_modules/.bin/rolldown');
  await promisify(execFile)(rolldown, ['--config', '--dir', dist], { cwd: checkout });
  const jobs = await readdir(join(checkout, 'jobs'));
  for (const name of jobs.filter((each) => each.endsWith('.cjs')))
    await cp(join(checkout, 'jobs', name), join(dist, 'jobs', name));
  await cp(join(checkout, 'sql'), join(dist, 'sql'), { recursive: true });
  return {
    file: join(dist, 'jobs/usage-etl.cjs'),
    environment: { DATA_DIR: join(folder, 'data') },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
