/** What the program says to whoever asks, or mistypes. */
import { expect, test } from 'vitest';
import { jobs } from '../../jobs/all-jobs.ts';
import { programFile, startProgram } from '../support/program.ts';

const families = await Promise.all(Object.values(jobs).map((load) => load()));
const names = [
  ...families.flatMap(({ job }) =>
    'jobs' in job ? [job.name, ...job.jobs.map(({ name }) => `${job.name} ${name}`)] : [job.name],
  ),
  'completion',
];
const run = (commandLine: string) => startProgram(programFile, commandLine.split(' '), {}).ended;

test.each(['', ...names])('the help of "%s" ends with an example of it', async (name) => {
  const { code, stdout } = await run(`${name} --help`.trim());
  expect(code).toBe(0);
  const [heading, example, ...more] = stdout.trimEnd().split('\n').slice(-2);
  expect({ heading, more }).toEqual({ heading: 'Example:', more: [] });
  expect(example).toMatch(new RegExp(`^ {2}npm run -s etl -- ${name}`));
});

test('every example is a command line that the program takes', async () => {
  for (const name of names) {
    const { stdout } = await run(`${name} --help`);
    const example = /npm run -s etl -- (.+)$/.exec(stdout.trimEnd())?.[1] ?? '';
    // Help is shown only after all that stands before it was understood.
    const { code, stderr } = await run(`${example.replace(/ >.*/, '')} --help`);
    expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' });
  }
});

test.each([
  ['nihgtly', "unknown command 'nihgtly'; did you mean nightly?"],
  ['bakfill --json', "unknown command 'bakfill'; did you mean backfill?"],
  ['status --chek', "unknown option '--chek'; did you mean --check?"],
  ['backfill --endpoint tokens --dry-run', "unknown option '--endpoint'; did you mean --endpoints?"],
  ['computers lst', "unknown command 'lst'; did you mean list?"],
  ['--versoin', "unknown option '--versoin'; did you mean --version?"],
])('"%s" is answered with the nearest one', async (commandLine, sentence) => {
  const { code, stderr } = await run(commandLine);
  expect(code).toBe(2);
  expect(stderr).toContain(`usage-etl: ${sentence}\n`);
});
