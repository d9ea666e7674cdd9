/** The questions of `sql/questions/`, each with the select that answers it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { sqlNames } from './migrations/sql-text.ts';
import { sqlDirectory } from './sql-files.ts';

/** A question as a sentence and as SQL. */
export interface Question {
  /** Name of its file, without `.sql`. */
  readonly name: string;
  readonly words: string;
  readonly select: string;
}

/** An answer; values are Postgres' text. */
export interface QuestionResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** All questions, in order. A file begins with the question as a comment. */
export async function readQuestions(): Promise<Question[]> {
  const directory = join(sqlDirectory, 'questions');
  return await Promise.all(
    sqlNames(directory).map(async (name) => {
      const text = await readFile(join(directory, `${name}.sql`), 'utf8');
      const end = text.indexOf('\n');
      return { name, words: text.slice('-- '.length, end), select: text.slice(end + 1).trimEnd() };
    }),
  );
}

/**
 * Runs a select as `usage_analyst`, which may read only the views. The role of the connection must be a member of it.
 */
export async function askAsAnalyst(client: pg.ClientBase, select: string): Promise<QuestionResult> {
  await client.query('begin');
  try {
    await client.query('set local role usage_analyst');
    const { fields, rows } = await client.query<(string | null)[]>({
      text: select,
      rowMode: 'array',
      types: { getTypeParser: () => (text: string) => text },
    });
    return { columns: fields.map(({ name }) => name), rows };
  } finally {
    await client.query('rollback');
  }
}
