/** A small disk of its own, for tests of a full one. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A mounted disk; disposing of it removes it with its files. */
export interface SmallDisk extends Disposable {
  readonly directory: string;
}

/** Mounts a disk of some MiB in memory. Throws where that is not allowed. */
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

/** Whether this machine lets us mount a disk. Says so loudly where it does not. */
export function canMountDisks(): boolean {
  try {
    mountSmallDisk(1)[Symbol.dispose]();
    return true;
  } catch (error) {
    console.warn(`!!! NOT TESTED: no small disk can be mounted here (${String(error).split('\n')[0]})`);
    return false;
  }
}
