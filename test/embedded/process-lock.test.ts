import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { identifyProcess, stillRuns, withProcessLock } from '../../src/embedded/process-lock.ts';
import { explain } from '../../src/model/errors.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'usage-etl-lock-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

const lockOf = (timeoutMs: number) => ({ directory, name: 'test.lock', timeoutMs });

describe('withProcessLock', () => {
  test('lets one task in at a time, and all of them in the end', async () => {
    let [inside, most, done] = [0, 0, 0];
    const task = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await readdir(directory);
      inside -= 1;
      done += 1;
    };
    await Promise.all(Array.from({ length: 12 }, () => withProcessLock(lockOf(60_000), task)));
    expect({ most, done }).toEqual({ most: 1, done: 12 });
  });

  test('is free again after a task that fails, and passes the failure on', async () => {
    const failing = withProcessLock(lockOf(1_000), async () => {
      throw new Error('the task failed');
    });
    await expect(failing).rejects.toThrow('the task failed');
    await expect(withProcessLock(lockOf(1_000), async () => 'in')).resolves.toBe('in');
  });

  test('takes over from a process that ended while it held the lock', async () => {
    await writeFile(join(directory, 'test.lock.7'), await identityOfEndedProcess());
    await expect(withProcessLock(lockOf(1_000), async () => 'in')).resolves.toBe('in');
  });

  test('takes over when the process id of the holder belongs to another process now', async () => {
    const ours = (await identifyProcess(process.pid)) ?? '';
    await writeFile(join(directory, 'test.lock.7'), ours.replace(/ \d+/, ' 1'));
    await expect(withProcessLock(lockOf(1_000), async () => 'in')).resolves.toBe('in');
  });

  test('gives up on a holder that stays, and names it', async () => {
    await writeFile(join(directory, 'test.lock.7'), (await identifyProcess(process.pid)) ?? '');
    const error: unknown = await withProcessLock(lockOf(100), async () => 'in').catch(
      (reason: unknown) => reason,
    );
    expect(explain(error)).toContain(`process ${process.pid} holds it`);
  });
});

test('a process is known by its identity while it runs, and no longer', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const identity = (await identifyProcess(child.pid ?? 0)) ?? '';
  expect(await stillRuns(identity)).toBe(true);
  child.stdin.end();
  await once(child, 'exit');
  expect(await stillRuns(identity)).toBe(false);
});

async function identityOfEndedProcess(): Promise<string> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const identity = (await identifyProcess(child.pid ?? 0)) ?? '';
  child.stdin.end();
  await once(child, 'exit');
  return identity;
}
