/** Creates views again if their file has changed. Views hold no data, so nothing is lost. */
import type pg from 'pg';
import { codeOf } from '../../model/error-code.ts';
import { ConfigurationError, WarehouseError } from '../../model/errors.ts';
import { inShell } from '../../model/installation.ts';
import { readSqlTexts, type SqlText } from './sql-text.ts';
import { dependentsOf } from './view-dependents.ts';
import { readViewRights, restoreViewRights, type ViewRights } from './view-rights.ts';

/** SQLSTATE of `create or replace view` for a change that it cannot make: it only adds columns at the end. */
const invalidTableDefinition = '42P16';

/** Finds the views that a file creates, with their schema. */
const viewName = /^create or replace view\s+([a-z_]\w*\.[a-z_]\w*)/gim;

/** What `migrate` did to the views. */
export interface ViewChanges {
  /** Number of files. */
  readonly files: number;
  /** Names of the files that were run: those that changed, and those whose views depend on a dropped view. */
  readonly changed: readonly string[];
  /** Objects of others that were dropped with a view, in the words of Postgres. */
  readonly dropped: readonly string[];
}

interface ViewFile extends SqlText {
  readonly views: readonly string[];
}

/** Somebody else's object that is dropped with a view. */
interface DroppedObject {
  readonly description: string;
  readonly view: string;
}

/**
 * Runs the files of `directory` that changed since their last run, in the order of their names, within the open transaction.
 * Unchanged views are not locked, so their readers do not wait. A view that Postgres cannot replace is dropped and created
 * again with its rights, and so are our views that depend on it. If objects of others depend on it, they are dropped with
 * `dropDependents`; without it, throws `ConfigurationError` with a list of them. Throws `WarehouseError` when a file
 * fails; the error names the file.
 */
export async function bringViewsUpToDate(
  client: pg.ClientBase,
  directory: string,
  dropDependents: boolean,
): Promise<ViewChanges> {
  const files = readSqlTexts(directory).map(
    (file): ViewFile => ({
      ...file,
      views: [...file.text.matchAll(viewName)].flatMap(([, name]) => name ?? []),
    }),
  );
  const toRun = await changedFiles(client, files);
  const changed: string[] = [];
  const droppedObjects: DroppedObject[] = [];
  /** The rights of dropped views. */
  const rights = new Map<string, ViewRights>();
  for (let file = nextOf(files, toRun); file !== undefined; file = nextOf(files, toRun)) {
    toRun.delete(file);
    changed.push(file.name);
    droppedObjects.push(...(await runFile(client, file, files, toRun, rights)));
    for (const view of file.views) {
      const had = rights.get(view);
      if (had !== undefined) await restoreViewRights(client, view, had);
      rights.delete(view);
    }
  }
  if (droppedObjects.length > 0 && !dropDependents) throw refusal(droppedObjects);
  await recordFiles(
    client,
    files.filter(({ name }) => changed.includes(name)),
  );
  return { files: files.length, changed, dropped: droppedObjects.map(({ description }) => description) };
}

const nextOf = (files: readonly ViewFile[], toRun: ReadonlySet<ViewFile>) =>
  files.find((file) => toRun.has(file));

async function changedFiles(client: pg.ClientBase, files: readonly ViewFile[]): Promise<Set<ViewFile>> {
  const { rows } = await client.query<{ file_name: string; fingerprint: string }>(
    'select file_name, fingerprint from etl.view_fingerprint',
  );
  const known = new Map(rows.map(({ file_name, fingerprint }) => [file_name, fingerprint]));
  const { rows: found } = await client.query<{ missing: string }>(
    'select name as missing from pg_catalog.unnest($1::text[]) as name where pg_catalog.to_regclass(name) is null',
    [files.flatMap(({ views }) => views)],
  );
  const missing = new Set(found.map((row) => row.missing));
  return new Set(
    files.filter(
      ({ name, checksum, views }) => known.get(name) !== checksum || views.some((view) => missing.has(view)),
    ),
  );
}

/** Runs a file; returns the objects of others that were dropped. Adds our files whose views were dropped to `toRun`. */
async function runFile(
  client: pg.ClientBase,
  file: ViewFile,
  files: readonly ViewFile[],
  toRun: Set<ViewFile>,
  rights: Map<string, ViewRights>,
): Promise<DroppedObject[]> {
  const droppedObjects: DroppedObject[] = [];
  try {
    await client.query('savepoint before_view');
    await client.query(file.text).catch(async (error: unknown) => {
      if (codeOf(error) !== invalidTableDefinition) throw error;
      await client.query('rollback to savepoint before_view');
      for (const view of file.views) {
        await rememberRights(client, view, rights);
        for (const { description, view: dependent } of await dependentsOf(client, view)) {
          const own = files.find(({ views }) => dependent !== null && views.includes(dependent));
          if (own === undefined || dependent === null) droppedObjects.push({ description, view });
          else {
            await rememberRights(client, dependent, rights);
            if (own !== file) toRun.add(own);
          }
        }
        await client.query(`drop view if exists ${view} cascade`);
      }
      await client.query(file.text);
    });
    await client.query('release savepoint before_view');
    return droppedObjects;
  } catch (cause) {
    throw new WarehouseError(`view file ${file.name}.sql failed, nothing was changed`, { cause });
  }
}

async function rememberRights(
  client: pg.ClientBase,
  view: string,
  rights: Map<string, ViewRights>,
): Promise<void> {
  const has = await readViewRights(client, view);
  if (has !== undefined) rights.set(view, has);
}

async function recordFiles(client: pg.ClientBase, files: readonly ViewFile[]): Promise<void> {
  if (files.length === 0) return;
  await client.query(
    `insert into etl.view_fingerprint (file_name, fingerprint)
    select * from unnest($1::text[], $2::text[])
    on conflict (file_name) do update
      set fingerprint = excluded.fingerprint, applied_at = excluded.applied_at`,
    [files.map(({ name }) => name), files.map(({ checksum }) => checksum)],
  );
}

function refusal(droppedObjects: readonly DroppedObject[]): ConfigurationError {
  return new ConfigurationError([
    'some views must be dropped because their columns change, and objects of others depend on them; nothing was changed; ' +
      `rebuild these objects without the views, or drop them with \`${inShell('migrate --drop-dependents')}\`:`,
    ...droppedObjects.map(({ description, view }) => `  ${description}, which builds on ${view}`),
  ]);
}
