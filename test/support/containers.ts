/** Commands for the Docker engine and Compose that `.ci/containers` starts. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { ownNamesOnly } from '../../tools/search-path.ts';

const runFile = promisify(execFile);

/** Whether `.ci/containers` runs the tests: it builds the image and installs Compose. */
export const hasContainers = process.env.TEST_COMPOSE !== undefined;

/** The image with cron and systemd in it, and Node. */
export const systemImage = process.env.TEST_SYSTEM_IMAGE ?? '';

/** Runs a command of the engine and returns its output. Throws with its error output when it fails. */
export async function docker(...parameters: string[]): Promise<string> {
  const { stdout } = await runFile('docker', parameters, { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

/** Like `docker`, but returns the exit code and both outputs, and does not throw. */
export async function dockerEnds(...parameters: string[]): Promise<{ code: number; said: string }> {
  try {
    const { stdout, stderr } = await runFile('docker', parameters, { maxBuffer: 64 * 1024 * 1024 });
    return { code: 0, said: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = Object.assign({ code: undefined, stdout: '', stderr: '' }, error);
    if (typeof code !== 'number') throw error;
    return { code, said: `${stdout}${stderr}` };
  }
}

/** Removes these containers with their volumes when it is disposed of. */
export function containers(...names: string[]): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      await dockerEnds('rm', '--force', '--volumes', ...names);
    },
  };
}

/** Resolves when `isTrue` resolves to true; calls it every quarter of a second until the time limit of the test. */
export async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 250));
}

/** The rows of a query, on a new connection. */
export async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ ...ownNamesOnly, connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
