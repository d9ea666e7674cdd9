/** Runs `promtool` of Debian's package `prometheus`: it reads metrics and rules as Prometheus does. */
import { spawnSync } from 'node:child_process';

/** Whether this machine has `promtool`; without it the tests that need it are skipped, and `.ci/run` says so. */
export const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/** Runs `promtool` and returns its output. Throws when it fails. */
export function promtool(words: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', words, { input, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`promtool ${words.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`);
  return `${stdout}${stderr}`;
}

/** The samples of a metric in the text format of Prometheus: the values by their labels, as the text writes them. */
export function samplesOf(text: string, name: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(name.length, end), Number(line.slice(end + 1))];
    }),
  );
}
