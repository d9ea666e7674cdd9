/** The recipes of docs/bi-tools.md print what stands below them, as a login that may read the views and nothing else. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Outcome, run } from './command.ts';
import { type Demo, type Login, startDemo } from './demo.ts';

const document = fileURLToPath(new URL('../../docs/bi-tools.md', import.meta.url));
const { PG_TOOLS_18 = '', RECIPES_BIN = '', JDBC_DRIVER = '', ODBC_DRIVER = '', RSCRIPT = '' } = process.env;

/** What runs a recipe, and the variables that say where that is. */
interface Runner {
  readonly needs: string;
  readonly isThere: boolean;
  readonly file: string;
  command(file: string): readonly [string, ...string[]];
}

const python = (needs: string, isThere: boolean): Runner => ({
  needs,
  isThere,
  file: 'recipe.py',
  command: (file) => [join(RECIPES_BIN, 'python'), file],
});

/** By the heading above a recipe. */
const runners: Readonly<Record<string, Runner>> = {
  psql: {
    needs: 'PG_TOOLS_18',
    isThere: PG_TOOLS_18 !== '',
    file: 'recipe.sql',
    command: (file) => [join(PG_TOOLS_18, 'psql'), '--no-psqlrc', `--file=${file}`],
  },
  SQLAlchemy: python('RECIPES_BIN', RECIPES_BIN !== ''),
  pandas: python('RECIPES_BIN', RECIPES_BIN !== ''),
  JDBC: {
    needs: 'JDBC_DRIVER',
    isThere: JDBC_DRIVER !== '',
    file: 'Recipe.java',
    command: (file) => ['java', '-classpath', JDBC_DRIVER, file],
  },
  ODBC: python('RECIPES_BIN, ODBC_DRIVER', RECIPES_BIN !== '' && ODBC_DRIVER !== ''),
  R: {
    needs: 'RSCRIPT',
    isThere: RSCRIPT !== '',
    file: 'recipe.R',
    command: (file) => [RSCRIPT, '--vanilla', file],
  },
};

/** A program in the document, with what it says that it prints. */
interface Recipe {
  readonly tool: string;
  readonly program: string;
  readonly prints: string;
}

function recipesIn(text: string): Recipe[] {
  return text.split(/^## /m).flatMap((section) => {
    const [tool = ''] = section.split('\n');
    const [, program, prints] = /^```\w+\n([\s\S]*?)^```\n\n^```text\n([\s\S]*?)^```$/m.exec(section) ?? [];
    return program === undefined || prints === undefined ? [] : [{ tool, program, prints }];
  });
}

const recipes = recipesIn(await readFile(document, 'utf8'));
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

async function follow({ file, command }: Runner, program: string): Promise<Outcome> {
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-recipe-'));
  try {
    const path = join(directory, file);
    await writeFile(path, program);
    const [name, ...words] = command(path);
    return await run(name, words, { environment: { ...login }, directory });
  } finally {
    await rm(directory, { recursive: true });
  }
}

describe.each(recipes)('$tool', ({ tool, program, prints }) => {
  const runner = runners[tool];
  test.skipIf(runner?.isThere !== true)(`prints what the document says (${runner?.needs})`, async () => {
    if (runner === undefined) throw new Error(`expected a way to run ${tool}`);
    const { code, output } = await follow(runner, program);
    expect(code, output).toBe(0);
    const printed = `${output.replaceAll(/[ \t]+$/gm, '').trim()}\n`;
    if (process.env.UPDATE_DOCUMENTS === '1') {
      const text = await readFile(document, 'utf8');
      const before = `${program}\`\`\`\n\n\`\`\`text\n`;
      await writeFile(
        document,
        text.replace(`${before}${prints}`, () => `${before}${printed}`),
      );
    } else {
      expect(printed).toBe(prints);
    }
  });
});
