import { spawnSync } from 'node:child_process';
import { z } from 'zod';

/** Whether a program is installed on this machine; `.ci/deploy` installs those that few machines have. */
export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$0" > /dev/null', program]).status === 0;
}

/** Runs a program; returns both outputs and the exit code. */
export function runTool(program: string, ...parameters: string[]): { code: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(program, parameters, { encoding: 'utf8' });
  return { code: status, said: stdout + stderr };
}

/** One value of a parsed YAML document: `at(job, 'spec', 'schedule')`. Throws if there is none. */
export function at(document: unknown, ...path: (string | number)[]): unknown {
  let value = document;
  for (const step of path) {
    const inner = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).parse(value);
    value = Array.isArray(inner) ? inner[Number(step)] : inner[step];
    if (value === undefined) throw new Error(`expected a value at ${path.join('.')}, found none at ${step}`);
  }
  return value;
}
