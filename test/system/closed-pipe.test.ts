import { expect, test } from 'vitest';
import { programFile, startProgram } from '../support/program.ts';

test('a reader that has seen enough and goes away is no error', async () => {
  const run = startProgram(programFile, ['simulate', '--openapi'], {});
  // It prints far more than a pipe holds.
  run.process.stdout?.once('data', () => run.process.stdout?.destroy());
  const { code, stderr } = await run.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
