/** Processes of the embedded Postgres. */
import { readdir, readFile } from 'node:fs/promises';

/** Command lines of the processes that work on the data below a folder. */
export async function serversOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc'))
    if (/^\d+$/.test(pid)) {
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (words.includes(folder) && /postgres|initdb|pg_ctl/.test(words))
        found.push(words.replaceAll('\0', ' '));
    }
  return found;
}
