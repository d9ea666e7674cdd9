/** The recipes of docs/bi-tools.md print what stands below them, as a login that may read the views and nothing else. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printed, recipesIn, runners } from '../../tools/recipes.ts';
import { type Demo, type Login, startDemo } from './demo.ts';

const recipes = recipesIn(await readFile(new URL('../../docs/bi-tools.md', import.meta.url), 'utf8'));
let demo: Demo | undefined;
let login: Login;

beforeAll(async () => {
  if (!Object.values(runners).some(({ isThere }) => isThere)) return;
  demo = await startDemo();
  login = await demo.login('usage_analyst');
});

afterAll(() => demo?.stop());

test('every recipe has something that runs it', () => {
  expect(recipes.map(({ tool }) => tool)).toEqual(Object.keys(runners));
});

describe.each(recipes)('$tool', ({ tool, program, prints }) => {
  const runner = runners[tool];
  test.skipIf(runner?.isThere !== true)(`prints what the document says (${runner?.needs})`, async () => {
    if (runner === undefined) throw new Error(`expected a way to run ${tool}`);
    expect(await printed(runner, program, { ...login })).toBe(prints);
  });
});
