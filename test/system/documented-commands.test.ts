/** Every command line in the documents is run, in the order in which it stands there, and its exit code checked. */
import { expect, test } from 'vitest';
import { documentedCommands } from '../support/commands-in-documents.ts';
import { followLine, setUpDocumentedLines } from '../support/documented-lines.ts';

setUpDocumentedLines();
const commands = await documentedCommands();

test('the documents hold command lines, those of the README first among them', () => {
  const lines = commands.filter(({ document }) => document === 'README.md').map(({ line }) => line);
  expect(lines.slice(0, 3)).toEqual(['npm ci', 'npm run demo', 'npm run demo -- --exit']);
  expect(lines).toContain('npm run -s etl -- verify');
  expect(new Set(commands.map(({ document }) => document)).size).toBeGreaterThan(3);
});

// README comes first: it is what makes the database that the others speak of. Its demo is run by core/quick-start.
const ordered = [...commands].sort(
  (a, b) => Number(b.document === 'README.md') - Number(a.document === 'README.md'),
);
const seen = new Set(['npm run demo', 'npm run demo -- --exit']);
test.each(ordered.filter(({ line }) => !seen.has(line) && seen.add(line)))('$document: $line', followLine);
