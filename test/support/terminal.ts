/** Runs programs in a terminal of a known size, with `script` of util-linux. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';

/** Control characters as the keyboard sends them. */
export const ctrlC = '\u0003';

/** How a program ended. */
export interface EndedInTerminal {
  readonly code: number | null;
  /** Everything that the terminal received, with control sequences. */
  readonly output: string;
}

/** A program in a terminal. */
export interface InTerminal {
  /** Resolves when the terminal has received `text` so many times; rejects when the program ends before. */
  says(text: string, times?: number): Promise<void>;
  type(keys: string): void;
  readonly ended: Promise<EndedInTerminal>;
}

/** Whether this machine can run the tests that need a terminal. Warns if it cannot. */
export function hasTerminal(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    console.warn('!!! NOT TESTED: no `script` of util-linux here, which the tests of terminals need');
    return false;
  }
}

/** Starts a program in a terminal of `columns` by 24. */
export function startInTerminal(
  command: readonly string[],
  {
    environment = {},
    columns = 80,
    directory = tmpdir(),
  }: {
    readonly environment?: Readonly<Record<string, string>>;
    readonly columns?: number;
    readonly directory?: string;
  } = {},
): InTerminal {
  const words = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols ${columns} rows 24; exec ${words}`, '/dev/null'], {
    cwd: directory,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? tmpdir(),
      SHELL: '/bin/sh',
      TERM: 'xterm-256color',
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  // The program may have ended when a test presses a key.
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then((): EndedInTerminal => ({ code: child.exitCode, output }));
  return {
    says: (text, times = 1) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (output.split(text).length <= times) return;
          child.stdout.off('data', look);
          resolve();
        };
        child.stdout.on('data', look);
        look();
        ended.then(
          () => reject(new Error(`expected the terminal to get ${JSON.stringify(text)}:\n${output}`)),
          reject,
        );
      }),
    type: (keys) => void child.stdin.write(keys),
    ended,
  };
}

/** The lines that a terminal has shown, without control sequences. A line that was drawn twice is there twice. */
export function linesShown(output: string): string[] {
  return output
    .replace(/\u001b\[[01]?G/g, '\r')
    .replace(/\u001b(\[[0-9;?]*[A-Za-z]|[78])/g, '')
    .split(/[\r\n]+/);
}
