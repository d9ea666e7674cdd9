import { expect, test } from 'vitest';
import { programFile, startProgram } from '../support/program.ts';

test.each([
  ['on many lines', ['simulate', '--openapi'], true],
  ['as one line with --json', ['simulate', '--openapi', '--json', '--choose', 'bad-request=422'], false],
])('simulate --openapi prints the description and ends, %s', async (_, commandLine, isLong) => {
  const { code, stdout, stderr } = await startProgram(programFile, commandLine, {}).ended;
  expect(code, stderr).toBe(0);
  const description = JSON.parse(stdout);
  expect(description).toMatchObject({
    openapi: '3.1.0',
    components: { schemas: { Computer: { type: 'object' } } },
  });
  const statuses = Object.keys(description.paths['/api/v0/computers'].get.responses);
  expect(statuses).toContain(isLong ? '400' : '422');
  expect(stdout.trimEnd().split('\n').length > 1).toBe(isLong);
});

test('a choice or a role that there is not is told before anything is served', async () => {
  const commandLine = [
    'simulate',
    '--port',
    '0',
    '--role',
    'king',
    '--choose',
    'colour=red',
    'time-unit=days',
  ];
  const { code, stdout, stderr } = await startProgram(programFile, commandLine, {}).ended;
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('--role: expected one of owner, manager, member, guest, got "king"');
  expect(stderr).toContain('got "colour=red"');
  expect(stderr).toContain('--choose: expected time-unit to be milliseconds|seconds, got "days"');
});
