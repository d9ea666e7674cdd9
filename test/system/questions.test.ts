/** Every question of docs/questions.md has the answer that stands there, asked of the demo by an analyst. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askAsAnalyst, readQuestions } from '../../src/warehouse/questions.ts';
import { questionsPage } from '../../tools/questions.ts';
import { type Demo, startDemo } from '../bi-tools/demo.ts';

const document = fileURLToPath(new URL('../../docs/questions.md', import.meta.url));
let demo: Demo;

beforeAll(async () => {
  demo = await startDemo();
});

afterAll(() => demo?.stop());

test('docs/questions.md has the questions, their selects and their answers', async () => {
  expect(await readFile(document, 'utf8')).toBe(await questionsPage(demo.client));
});

test('a question is one select, and has an answer', async () => {
  const questions = await readQuestions();
  expect(questions.length).toBeGreaterThanOrEqual(24);
  for (const { words, select } of questions) {
    expect(select.match(/;/g)).toHaveLength(1);
    expect((await askAsAnalyst(demo.client, select)).rows.length, words).toBeGreaterThan(0);
  }
});
