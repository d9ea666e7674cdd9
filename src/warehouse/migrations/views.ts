/** Re-creating the views from their files: they hold no data, so the files are all there is to them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { codeOf } from '../../model/error-code.ts';
import { WarehouseError } from '../../model/errors.ts';

/** `create or replace view` can only add columns at the end; for any other change the view must go first. */
const invalidTableDefinition = '42P16';

/** What `create or replace view` names, schema included. */
const viewName = /^create or replace view\s+([a-z_][\w]*\.[a-z_][\w]*)/gim;

/**
 * Runs every `*.sql` of `directory` in the order of the names, in one transaction; returns how many. A view
 * whose columns changed in a way that Postgres cannot replace is dropped with all that depends on it and
 * created anew, which loses the rights given on it by name (`alter default privileges` makes them come back).
 * Throws `WarehouseError` naming the file that fails; then all views are as they were.
 */
export async function recreateViews(client: pg.ClientBase, directory: string): Promise<number> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  await client.query('begin');
  try {
    for (const file of files) await recreateView(client, file, await readFile(join(directory, file), 'utf8'));
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
  return files.length;
}

async function recreateView(client: pg.ClientBase, file: string, text: string): Promise<void> {
  await client.query('savepoint before_view');
  try {
    await client.query(text).catch(async (error: unknown) => {
      if (codeOf(error) !== invalidTableDefinition) throw error;
      await client.query('rollback to savepoint before_view');
      for (const [, name] of text.matchAll(viewName))
        await client.query(`drop view if exists ${name} cascade`);
      await client.query(text);
    });
  } catch (cause) {
    throw new WarehouseError(`view file ${file} failed, all views are as they were`, { cause });
  }
  await client.query('release savepoint before_view');
}
