/** Mounts a small disk, for tests of a full disk. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A mounted disk; disposing of it removes it with its files. */
export interface SmallDisk extends Disposable {
  readonly directory: string;
}

/** Mounts a disk of so many MiB in memory. Throws if this is not allowed. */
export function mountSmallDisk(mebibytes: number): SmallDisk {
  const directory = mkdtempSync(join(tmpdir(), 'usage-etl-disk-'));
  const remove = () => rmdirSync(directory);
  try {
    const options = `size=${mebibytes}m,mode=755`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory], { stdio: 'pipe' });
  } catch (error) {
    remove();
    throw error;
  }
  return {
    directory,
    [Symbol.dispose]() {
      execFileSync('umount', [directory]);
      remove();
    },
  };
}

/** Whether this machine allows to mount a disk. Warns if it does not. */
export function canMountDisks(): boolean {
  try {
    mountSmallDisk(1)[Symbol.dispose]();
    return true;
  } catch (error) {
    console.warn(`!!! NOT TESTED: no small disk can be mounted here (${String(error).split('\n')[0]})`);
    return false;
  }
}
