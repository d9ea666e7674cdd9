/**
 * The account and the directories of the embedded server. Postgres refuses to run as root, so root runs it as another
 * account, which must be able to enter the directories of the data, wherever the checkout is.
 */
import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { codeOf } from '../model/error-code.ts';
import { WarehouseError } from '../model/errors.ts';
import { readIfThere } from './process-lock.ts';
import { type Account, run } from './run-program.ts';

/** The directories of a cluster, and the account of its server. */
export interface ClusterPlace {
  /** Files of this program about the server: password, port, lock. Owned by our user. */
  readonly home: string;
  /** Below `home`: data and log of the server. Owned by the server's account. */
  readonly serverDirectory: string;
  /** The account of the server; undefined: it runs as our user. */
  readonly account: Account | undefined;
}

/**
 * Finds or makes the directories of the cluster for `directory`: they are in its subdirectory `postgres/`. If root runs
 * this and the server's account cannot enter that (a checkout below /root), they are in a system directory, which the file
 * `postgres.location` names. `directory` must exist, and the caller must hold the lock. Throws `WarehouseError` when no
 * directory can be used.
 */
export async function preparePlace(directory: string): Promise<ClusterPlace> {
  const root = await realpath(directory);
  const pointer = join(root, 'postgres.location');
  const home = (await readIfThere(pointer))?.trim() ?? join(root, 'postgres');

  if (process.getuid?.() !== 0) {
    const serverDirectory = join(home, 'server');
    try {
      await mkdir(serverDirectory, { recursive: true, mode: 0o700 });
      await chmod(home, 0o700);
    } catch (cause) {
      throw new WarehouseError(
        `expected ${home} to be ours, but another user (root?) made it: ` +
          'run as that user, remove it if its data is not needed, or set DATABASE_URL',
        { cause },
      );
    }
    return { home, serverDirectory, account: undefined };
  }

  const account = (await ownerOf(join(home, 'server'))) ?? (await chooseAccount());
  const place = await tryPlace(home, account);
  if (place !== undefined) return place;
  // The data exists, but the account cannot reach it any more. An empty cluster elsewhere would look like lost data.
  if ((await lstat(join(home, 'server', 'data')).catch(() => undefined)) !== undefined)
    throw new WarehouseError(
      `expected user ${account.name} to be able to enter ${home}, where its data is: ` +
        'give every directory above it the permission to be passed (chmod o+x), or set DATABASE_URL',
    );

  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  for (const elsewhere of [join('/var/lib/usage-etl', name), join(tmpdir(), `usage-etl-${name}`)]) {
    const existing = await lstat(elsewhere).catch(() => undefined);
    // Accept only a directory of root: any user can make one with this name in the temporary directory.
    if (existing !== undefined && (existing.uid !== 0 || !existing.isDirectory())) continue;
    const other = await tryPlace(elsewhere, account);
    if (other === undefined) continue;
    await rm(home, { recursive: true, force: true });
    await writeFile(pointer, `${other.home}\n`);
    return other;
  }
  throw new WarehouseError(
    `expected a directory that user ${account.name}, who runs Postgres for root, can enter; ` +
      `neither ${home} nor /var/lib/usage-etl nor ${tmpdir()} is one: move the checkout, or set DATABASE_URL`,
  );
}

/** Mode of directories that other users can pass through, but not list. `mkdir` would reduce it by the umask. */
export const passable = 0o711;

/** `last` and its parent directories up to `first`. */
export function madeBetween(first: string, last: string): string[] {
  const found: string[] = [];
  for (let made = resolve(last); made.startsWith(resolve(first)); made = dirname(made)) found.push(made);
  return found;
}

/** Makes `home` for a server that runs as `account`; undefined when this account cannot reach it. */
async function tryPlace(home: string, account: Account): Promise<ClusterPlace | undefined> {
  const serverDirectory = join(home, 'server');
  try {
    if ((await ownerOf(serverDirectory)) === undefined) {
      const firstMade = await mkdir(serverDirectory, { recursive: true, mode: 0o700 });
      for (const made of firstMade === undefined ? [] : madeBetween(firstMade, home))
        await chmod(made, passable);
      if ((await lstat(home)).uid !== 0) return undefined;
      await chmod(serverDirectory, 0o700);
      await chown(serverDirectory, account.uid, account.gid);
    }
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS', 'EINVAL', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
  const entered = await run('/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', serverDirectory], account);
  return entered.exitCode === 0 ? { home, serverDirectory, account } : undefined;
}

/** The owner of a directory; undefined when the directory does not exist or belongs to root. */
async function ownerOf(directory: string): Promise<Account | undefined> {
  const status = await lstat(directory).catch(() => undefined);
  if (status === undefined || status.uid === 0) return undefined;
  const { output } = await run('id', ['-un', String(status.uid)]);
  return { name: output.trim(), uid: status.uid, gid: status.gid };
}

/** The system account `postgres`, which is created when missing; `nobody` when that fails. */
async function chooseAccount(): Promise<Account> {
  const existing = await accountNamed('postgres');
  if (existing !== undefined) return existing;
  const attempts: [string, string[]][] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent', 'postgres']],
    ['adduser', ['-S', '-D', '-H', 'postgres']],
  ];
  for (const [command, commandArguments] of attempts) {
    await run(command, commandArguments);
    const made = await accountNamed('postgres');
    if (made !== undefined) return made;
  }
  const nobody = await accountNamed('nobody');
  if (nobody !== undefined) return nobody;
  throw new WarehouseError(
    'expected a user "postgres" or "nobody" to run Postgres, because it refuses to run as root, and could ' +
      'not create one: create a user "postgres", run as a normal user, or set DATABASE_URL',
  );
}

async function accountNamed(name: string): Promise<Account | undefined> {
  const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
  if (uid.exitCode !== 0 || gid.exitCode !== 0) return undefined;
  return { name, uid: Number(uid.output), gid: Number(gid.output) };
}
