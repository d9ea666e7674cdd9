import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ask, dockerEnds } from './containers.ts';
import { freePort } from './free-port.ts';

const runFile = promisify(execFile);

/** The stack of docker-compose.yml, in a new folder, with an .env made from .env.example. */
export class ComposeStack {
  readonly #folder: string;
  readonly #password = randomUUID().replaceAll('-', '');
  readonly #port: number;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    copyFileSync('docker-compose.yml', join(folder, 'docker-compose.yml'));
    copyFileSync('.env.example', join(folder, '.env'));
    this.set('POSTGRES_PASSWORD', this.#password);
    this.set('POSTGRES_PORT', String(port));
  }

  static async make(): Promise<ComposeStack> {
    return new ComposeStack(mkdtempSync(join(tmpdir(), 'usage-etl-stack-')), await freePort());
  }

  /** Sets a variable in the .env. */
  set(name: string, value: string): void {
    const file = join(this.#folder, '.env');
    const text = readFileSync(file, 'utf8');
    const line = new RegExp(`^(# )?${name}=.*$`, 'm');
    writeFileSync(
      file,
      line.test(text) ? text.replace(line, `${name}=${value}`) : `${text}\n${name}=${value}\n`,
    );
  }

  /** Writes an override file for docker-compose.yml. */
  override(yaml: string): void {
    writeFileSync(join(this.#folder, 'docker-compose.override.yml'), yaml);
  }

  /** Runs `docker compose` and returns its output; throws with its error output when it fails. */
  async compose(...parameters: string[]): Promise<string> {
    const { stdout } = await runFile(
      'docker',
      ['compose', '--project-directory', this.#folder, ...parameters],
      { cwd: this.#folder },
    );
    return stdout;
  }

  /** Like `compose`, but returns the exit code and both outputs, and does not throw. */
  ends(...parameters: string[]): Promise<{ code: number; said: string }> {
    return dockerEnds('compose', '--project-directory', this.#folder, ...parameters);
  }

  /** The id of a service's container. */
  async container(service: string): Promise<string> {
    return (await this.compose('ps', '--all', '--quiet', service)).trim();
  }

  /** The rows of a query on the warehouse, through the port that is open on this machine. */
  ask(sql: string): Promise<unknown[]> {
    return ask(`postgres://postgres:${this.#password}@127.0.0.1:${this.#port}/usage`, sql);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ends('--profile', '*', 'down', '--volumes', '--timeout', '2');
    rmSync(this.#folder, { recursive: true });
  }
}
