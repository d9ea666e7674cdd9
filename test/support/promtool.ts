/** `promtool`, of Debian's package `prometheus`: reads metrics and rules as Prometheus would. */
import { spawnSync } from 'node:child_process';

/** Whether this machine has it; tests that need it are skipped elsewhere, and `.ci/run` says so. */
export const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/** Runs it and returns its output. Throws when it fails. */
export function promtool(words: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', words, { input, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`promtool ${words.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`);
  return `${stdout}${stderr}`;
}

/** Samples of a metric in the text format: the value by the labels as they are written. */
export function samplesOf(text: string, name: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(name.length, end), Number(line.slice(end + 1))];
    }),
  );
}
