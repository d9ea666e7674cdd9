/**
 * A lock between processes of one machine, through files. Node has no `flock`. With a single lock file, two processes
 * could both find its holder dead, and the second could delete the file when the first already holds the lock. So a lock
 * is a series of numbered files, `<name>.1`, `<name>.2`, …, of which only the highest counts. The lock is free when this
 * file is empty or its process is gone. A process acquires the lock by linking the next number, which succeeds only once,
 * and holds it if its number is still the highest afterwards.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { codeOf } from '../model/error-code.ts';
import { WarehouseError } from '../model/errors.ts';

const pollMs = 25;

/**
 * The identity of a process: its id and its start time. A process that later gets the same id (usual in containers, where
 * ids restart from 1) has another identity. Undefined when no process has this id.
 */
export async function identifyProcess(pid: number): Promise<string | undefined> {
  if (!exists(pid)) return undefined;
  if (process.platform === 'linux') {
    const [stat, boot] = await Promise.all([
      readIfThere(`/proc/${pid}/stat`),
      readIfThere('/proc/sys/kernel/random/boot_id'),
    ]);
    // The second field is the command in parentheses and may contain any character: count the fields after it.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
    const [state, startedAtTick] = [fields[0], fields[19]];
    if (state === 'Z') return undefined;
    return `${pid} ${startedAtTick ?? '?'} ${boot?.trim() ?? '?'}`;
  }
  const listed = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => undefined);
  return `${pid} ${listed?.stdout.trim() ?? '?'}`;
}

/** Whether the process with this identity still runs. */
export async function stillRuns(identity: string): Promise<boolean> {
  return (await identifyProcess(Number.parseInt(identity, 10))) === identity;
}

/**
 * Runs `task` while it holds the lock `name` in this directory: no other process, and no other call in this process, has
 * it. Throws `WarehouseError` when the lock stays taken for `timeoutMs`.
 */
export async function withProcessLock<T>(
  lock: { readonly directory: string; readonly name: string; readonly timeoutMs: number },
  task: () => Promise<T>,
): Promise<T> {
  const file = await acquire(lock);
  try {
    return await task();
  } finally {
    await writeFile(file, '');
  }
}

async function acquire(lock: { directory: string; name: string; timeoutMs: number }): Promise<string> {
  const owner = await identifyProcess(process.pid);
  const giveUpAt = performance.now() + lock.timeoutMs;
  for (;;) {
    const taken = await tryToAcquire(lock, owner ?? '');
    if (taken !== undefined) return taken;
    if (performance.now() > giveUpAt) {
      const holder = await readIfThere(fileOf(lock, (await generationsOf(lock)).at(-1) ?? 0));
      throw new WarehouseError(
        `expected ${join(lock.directory, lock.name)} to become free within ${lock.timeoutMs / 1000} s, ` +
          `but process ${holder?.split(' ')[0] ?? '(unknown)'} holds it: wait for that process or end it`,
      );
    }
    await delay(pollMs);
  }
}

async function tryToAcquire(
  lock: { directory: string; name: string },
  owner: string,
): Promise<string | undefined> {
  const latest = (await generationsOf(lock)).at(-1) ?? 0;
  const holder = latest === 0 ? '' : await readIfThere(fileOf(lock, latest));
  if (holder === undefined || (holder !== '' && (await stillRuns(holder)))) return undefined;

  const file = fileOf(lock, latest + 1);
  // The file is written under another name and then linked, so that a lock file always names its holder.
  const draft = join(lock.directory, `${lock.name}-${randomUUID()}`);
  await writeFile(draft, owner);
  try {
    await link(draft, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }

  const generations = await generationsOf(lock);
  if (generations.at(-1) !== latest + 1) {
    // While this process checked an old holder, other processes acquired the lock, released it and removed its file.
    await rm(file, { force: true });
    return undefined;
  }
  await Promise.all(generations.slice(0, -1).map((old) => rm(fileOf(lock, old), { force: true })));
  return file;
}

async function generationsOf(lock: { directory: string; name: string }): Promise<number[]> {
  const prefix = `${lock.name}.`;
  return (await readdir(lock.directory))
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
    .sort((a, b) => a - b);
}

function fileOf(lock: { directory: string; name: string }, generation: number): string {
  return join(lock.directory, `${lock.name}.${generation}`);
}

/** Whether a process with this id exists, of any user. */
export function exists(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** The text of a file; undefined if the file does not exist, or is one of `/proc` and its process is gone. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
