/** Runs another program to its end, as our user or, for root, as another account. */
import { spawn, spawnSync } from 'node:child_process';
import { atAbruptEnd } from './abrupt-end.ts';

/** A system account. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The result of a program. */
export interface RunResult {
  /** Exit code of the program; null when it could not be started, or a signal ended it. */
  readonly exitCode: number | null;
  /** What the program wrote to standard output and standard error. */
  readonly output: string;
}

/**
 * Runs a program to its end, as `account` if given (root only). Never throws: for a program that cannot be started, the
 * exit code is null and the output is the reason. The program does not get our environment: `PGPORT` and others would
 * change its behaviour, and a server must not keep our secrets. A Ctrl-C on the terminal does not reach the program;
 * `signal` ends it, and so does an abrupt end of this process.
 */
export function run(
  command: string,
  commandArguments: readonly string[],
  account?: Account,
  signal?: AbortSignal,
): Promise<RunResult> {
  return new Promise((resolve) => {
    const child = spawn(command, commandArguments, {
      ...surroundings(account),
      stdio: ['ignore', 'pipe', 'pipe'],
      // The program has its own process group, so that its child processes end with it.
      detached: true,
    });
    const end = (how: NodeJS.Signals) => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, how);
      } catch {
        // The program has ended already.
      }
    };
    const endGently = () => end('SIGTERM');
    signal?.addEventListener('abort', endGently, { once: true });
    const forget = atAbruptEnd(() => end('SIGKILL'));
    const settle = (result: RunResult) => {
      forget();
      signal?.removeEventListener('abort', endGently);
      resolve(result);
    };
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => settle({ exitCode: null, output: error.message }));
    child.once('close', (exitCode) => settle({ exitCode, output: output.trim() }));
  });
}

/**
 * Runs a program to its end synchronously, for `process.on('exit')`. Never throws. A Ctrl-C on the terminal does not
 * reach the program, so that another Ctrl-C does not interrupt the clean-up.
 */
export function runAtOnce(
  command: string,
  commandArguments: readonly string[],
  account: Account | undefined,
  timeoutMs: number,
): void {
  const options = { ...surroundings(account), stdio: 'ignore', timeout: timeoutMs, detached: true } as const;
  spawnSync(command, commandArguments, options);
}

function surroundings(account: Account | undefined) {
  return {
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
  };
}
