/** Programs of other people, as processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** How a program ended, and all that it said. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program to its end. It finds nothing in its environment but what is given, and what any program needs. */
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
  // A program that ends without reading it is no failure.
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
