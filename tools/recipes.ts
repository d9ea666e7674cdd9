/**
 * Writes below each recipe (program) of docs/bi-tools.md what it prints. `.ci/bi-tools` sets the variables that name the
 * tools to run them.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './command.ts';
import type { Product } from './product.ts';

const document = 'docs/bi-tools.md';
/** The last day of the demo whose data the recipes read. */
const demoTo = '2026-06-30';
const { PG_TOOLS_18 = '', RECIPES_BIN = '', JDBC_DRIVER = '', ODBC_DRIVER = '', RSCRIPT = '' } = process.env;

/** How to run a recipe, and the variables that must be set for it. */
export interface Runner {
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

/** The runners of recipes, by the heading above the recipe. */
export const runners: Readonly<Record<string, Runner>> = {
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

/** A program in the document, with the output that the document shows. */
export interface Recipe {
  readonly tool: string;
  readonly program: string;
  readonly prints: string;
}

/** The recipes of the document, in order. */
export function recipesIn(text: string): Recipe[] {
  return text.split(/^## /m).flatMap((section) => {
    const [tool = ''] = section.split('\n');
    const [, program, prints] = /^```\w+\n([\s\S]*?)^```\n\n^```text\n([\s\S]*?)^```$/m.exec(section) ?? [];
    return program === undefined || prints === undefined ? [] : [{ tool, program, prints }];
  });
}

/** Runs a recipe with a login that may read the views, and returns its output. Throws when it fails. */
export async function printed(
  { file, command }: Runner,
  program: string,
  login: Readonly<Record<string, string>>,
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-recipe-'));
  try {
    const path = join(directory, file);
    await writeFile(path, program);
    const [name, ...words] = command(path);
    const { code, output } = await run(name, words, { environment: login, directory });
    if (code !== 0) throw new Error(`${name} ended with ${code}: ${output}`);
    return `${output.replaceAll(/[ \t]+$/gm, '').trim()}\n`;
  } finally {
    await rm(directory, { recursive: true });
  }
}

export const recipes: Product = {
  name: 'recipes',
  async files({ demo }) {
    let text = await readFile(new URL(`../${document}`, import.meta.url), 'utf8');
    // A recipe whose tool is not installed here keeps the output that the document shows.
    const toRun = recipesIn(text).flatMap(({ tool, program, prints }) => {
      const runner = runners[tool];
      return runner?.isThere === true ? [{ runner, program, prints }] : [];
    });
    if (toRun.length === 0) return new Map([[document, text]]);
    const pool = await demo(demoTo);
    await pool.query("create role some_reader login password 'secret' in role usage_analyst");
    const { hostname, port, pathname } = new URL(pool.options.connectionString ?? '');
    const login = {
      PGHOST: hostname,
      PGPORT: port,
      PGDATABASE: pathname.slice(1),
      PGUSER: 'some_reader',
      PGPASSWORD: 'secret',
    };
    for (const { runner, program, prints } of toRun) {
      const before = `${program}\`\`\`\n\n\`\`\`text\n`;
      const now = await printed(runner, program, login);
      text = text.replace(`${before}${prints}`, () => `${before}${now}`);
    }
    return new Map([[document, text]]);
  },
};
