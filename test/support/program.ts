/** Runs the program as a separate process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** How a run of the program ended. */
export interface Ended {
  /** The exit code; null when a signal killed it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run of the program that may still be going on. */
export interface Started {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves as soon as standard error contains `text`; rejects when the program ends without it. */
  says(text: string): Promise<void>;
  /** The first line of standard output, as soon as it is there; rejects when the program ends without one. */
  prints(): Promise<string>;
}

const programs = inject('testPrograms');

/** The path of the program: built for this test run, unless `TEST_PROGRAM` names a file, such as `jobs/usage-etl.ts`. */
export const programFile = programs.file;

/** The path of the program with `impatientTiming`. */
export const hurriedProgramFile = programs.hurriedFile;

/**
 * Starts `file` of the checkout. Its environment has only `environment` and what Node needs. By default it runs outside of
 * the checkout, where a developer's .env would be read. `input` is its standard input.
 */
export function startProgram(
  file: string,
  commandLine: readonly string[],
  environment: Readonly<Record<string, string>>,
  workingDirectory = tmpdir(),
  input = '',
): Started {
  const child = spawn(process.execPath, [resolve(checkout, file), ...commandLine], {
    cwd: workingDirectory,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? tmpdir(), ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A program may end without reading its input: this error is ignored.
  child.stdin.on('error', () => undefined).end(input);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then((): Ended => ({ code: child.exitCode, stdout, stderr }));
  return {
    process: child,
    ended,
    prints: () =>
      new Promise((resolve, reject) => {
        const look = () => {
          const end = stdout.indexOf('\n');
          if (end !== -1) resolve(stdout.slice(0, end));
        };
        child.stdout.on('data', look);
        look();
        ended.then(() => reject(new Error(`expected the program to print a line:\n${stderr}`)), reject);
      }),
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (stderr.includes(text)) resolve();
        };
        child.stderr.on('data', look);
        look();
        ended.then(
          () => reject(new Error(`expected the program to say ${JSON.stringify(text)}:\n${stderr}`)),
          reject,
        );
      }),
  };
}
