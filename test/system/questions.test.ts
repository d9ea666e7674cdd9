/** Every question of docs/questions.md has the answer that stands there, asked of the demo by an analyst. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, askAsAnalyst, readQuestions } from '../../src/warehouse/questions.ts';
import { programFile, type Started, startProgram } from '../support/program.ts';

const document = fileURLToPath(new URL('../../docs/questions.md', import.meta.url));
const demo = 'demo --to 2026-06-30';
let directory: string;
let program: Started;
let client: pg.Client;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'usage-etl-questions-'));
  // Root's server runs as another user, who must get through.
  await chmod(directory, 0o711);
  program = startProgram(programFile, [...demo.split(' '), '--json'], { DATA_DIR: directory });
  const { url } = JSON.parse(await program.prints());
  client = new pg.Client({ connectionString: url });
  await client.connect();
});

afterAll(async () => {
  await client?.end();
  program.process.kill('SIGTERM');
  await program.ended;
  await rm(directory, { recursive: true });
});

function inMarkdown({ columns, rows }: Answer): string {
  const line = (cells: readonly (string | null)[]) =>
    `| ${cells.map((cell) => (cell ?? '').replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

test('docs/questions.md has the questions, their selects and their answers', async () => {
  const questions = await readQuestions();
  expect(questions.length).toBeGreaterThanOrEqual(24);
  const parts: string[] = [];
  for (const { words, select } of questions) {
    expect(select.match(/;/g)).toHaveLength(1);
    const answer = await askAsAnalyst(client, select);
    expect(answer.rows.length, words).toBeGreaterThan(0);
    parts.push(`## ${words}\n\n\`\`\`sql\n${select}\n\`\`\`\n\n${inMarkdown(answer)}`);
  }
  const text = `${[
    '# Questions',
    `Each has one select, which anybody may run who is in the role \`usage_analyst\`, and its answer from the data of \`npm run demo -- ${demo.slice('demo '.length)}\`. Put your days in the place of these. The selects are the files in \`sql/questions\`; a test asks them all, and \`npm run questions\` writes this page anew.`,
    ...parts,
  ].join('\n\n')}\n`;
  if (process.env.UPDATE_DOCUMENTS === '1') await writeFile(document, text);
  expect(await readFile(document, 'utf8')).toBe(text);
});
