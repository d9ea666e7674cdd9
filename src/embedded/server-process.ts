/** Recognizes the process of a Postgres server. */
import { readFile } from 'node:fs/promises';
import { identifyProcess } from './process-lock.ts';
import { run } from './run-program.ts';

/** Whether a process may be the server of a data directory. */
export async function mayBeServer(pid: number, dataDirectory: string): Promise<boolean> {
  if ((await identifyProcess(pid)) === undefined) return false;
  const command = await commandOf(pid);
  return command === undefined || command.includes(`postgres -D ${dataDirectory}`);
}

/** The command line of a process, words separated by spaces; undefined when it cannot be read. */
async function commandOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
    return words?.replaceAll('\0', ' ');
  }
  const listed = await run('ps', ['-o', 'command=', '-p', String(pid)]);
  return listed.exitCode === 0 ? listed.output : undefined;
}
