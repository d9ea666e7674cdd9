/** Runs programs that are not part of this repository. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** How a program ended, and its output on both streams. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program to its end. Its environment has only the given variables and those that any program needs. */
export async function run(
  command: string,
  commandLine: readonly string[],
  options: {
    readonly environment?: Readonly<Record<string, string>>;
    readonly directory?: string;
    readonly input?: string;
  } = {},
): Promise<Outcome> {
  const child = spawn(command, [...commandLine], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LANG: 'C.UTF-8', ...options.environment },
    ...(options.directory === undefined ? {} : { cwd: options.directory }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A program may end without reading its input: this error is ignored.
  child.stdin.on('error', () => undefined).end(options.input ?? '');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  await once(child, 'close');
  return { code: child.exitCode, output };
}
