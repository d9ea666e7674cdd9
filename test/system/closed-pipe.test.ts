import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { programFile, startProgram } from '../support/program.ts';

test('a reader that has seen enough and goes away is no error', async () => {
  const run = startProgram(programFile, ['simulate', '--openapi'], {});
  // It prints far more than a pipe holds.
  run.process.stdout?.once('data', () => run.process.stdout?.destroy());
  const { code, stderr } = await run.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test.each(['--help', 'simulate --help', 'completion --help', 'limits apply --help'])(
  'whoever reads nothing of %s is no error either',
  (words) => {
    // The reader is gone before anything is written.
    const script = `exec 3>&1; { "$0" "$@" 2>&3; echo "code $?" >&3; } | true`;
    const told = execFileSync('bash', ['-c', script, process.execPath, programFile, ...words.split(' ')], {
      encoding: 'utf8',
    });
    expect(told).toBe('code 0\n');
  },
);
