/** What somebody types who has never seen the program: the first lines of the README. */
import { expect, test } from 'vitest';
import { documentedCommands } from '../support/commands-in-documents.ts';
import { followLine, setUpDocumentedLines } from '../support/documented-lines.ts';

setUpDocumentedLines();
const commands = (await documentedCommands()).filter(({ document }) => document === 'README.md');
const last = commands.findIndex(({ line }) => line === 'npm run -s etl -- status');
const first = commands.slice(0, last + 1);

test('the README begins with installing, the demo and the first load', () => {
  expect(first.map(({ line }) => line)).toEqual([
    'npm ci',
    'npm run demo',
    'npm run demo -- --exit',
    expect.stringContaining('.env'),
    ...['migrate', 'doctor', 'backfill', 'verify', 'status'].map((command) => `npm run -s etl -- ${command}`),
  ]);
});

test.each(first)('$line', followLine);
