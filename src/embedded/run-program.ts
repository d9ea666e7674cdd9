/** Running another program to its end, as ourselves or, for root, as another account. */
import { spawn } from 'node:child_process';

/** A system account other than ours. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** How a program ended. */
export interface RunResult {
  /** Null when it could not be started, or a signal ended it. */
  readonly exitCode: number | null;
  /** What it wrote to standard output and standard error. */
  readonly output: string;
}

/**
 * Runs a program to its end, as `account` when given (root only). Never throws: a program that cannot be
 * started has no exit code, and the reason as its output. Our environment stays out of it: `PGPORT` and the
 * like would change what it does, and a server must not keep our secrets in its environment.
 */
export function run(
  command: string,
  commandArguments: readonly string[],
  account?: Account,
): Promise<RunResult> {
  return new Promise((resolve) => {
    const child = spawn(command, commandArguments, {
      cwd: '/',
      env: { PATH: process.env.PATH ?? '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => resolve({ exitCode: null, output: error.message }));
    child.once('close', (exitCode) => resolve({ exitCode, output: output.trim() }));
  });
}
