/** Rewrites the values of a column, row by row, as a rule says. */
import type pg from 'pg';
import { type Session, withTransaction } from '../connection/connection.ts';
import { isUniqueViolation } from '../connection/database-error.ts';
import { batchSize } from './batch-size.ts';
import { giveNumber, mergeRow } from './merge-row.ts';
import type { RemovalRule, StoredValue } from './removal-rule.ts';
import { condition, parametersOf, type StoredColumn } from './stored-column.ts';

/** A row whose value changes; `ctid` is the physical place at which it was read. */
interface Change {
  readonly ctid: string;
  readonly before: string;
  readonly after: string | null;
}

/** Rows that are read at a time where values are long: a payload may have a megabyte. */
const leastRowsAtOnce = 50;
/** Most characters of changes that one statement writes; above that, each change has its own statement. */
const mostCharactersAtOnce = 1_000_000;
/** If another session changes a row after it was read, the column is read again, at most so many times. */
const mostReadings = 10;

/**
 * Rewrites one column; returns how many rows changed, and calls `onChange` with the organization of each that has one. An
 * interrupted call can simply be repeated.
 */
export async function rewriteColumn(
  pool: pg.Pool,
  column: StoredColumn,
  rule: RemovalRule,
  signal: AbortSignal,
  onChange: (orgKey: number) => void,
): Promise<number> {
  let rewritten = 0;
  for (let reading = 0; reading < mostReadings; reading++) {
    const { changed, missed } = await withTransaction(pool, async (session) => {
      // Checks insert results without the lock of the organization, and might insert an old name meanwhile: locking the
      // table prevents that. A rule with a pattern is applied by every load: it does not lock, so that it need not wait for
      // inserts, and the next load finds what this one missed.
      if (column.table === 'etl.check_result' && rule.pattern === undefined)
        await session.client.query(`lock table ${column.table} in share row exclusive mode`);
      // With this setting the trigger of the table allows this transaction to replace names of persons, and nothing else.
      if (column.table === 'etl.credit_limit_change')
        await session.client.query("select set_config('usage_etl.renames_person', 'yes', true)");
      return await rewriteOnce(session, column, rule, signal, onChange);
    });
    rewritten += changed;
    if (missed === 0) break;
  }
  return rewritten;
}

async function rewriteOnce(
  session: Session,
  column: StoredColumn,
  rule: RemovalRule,
  signal: AbortSignal,
  onChange: (orgKey: number) => void,
): Promise<{ readonly changed: number; readonly missed: number }> {
  const { place, table, column: name, ofOrganizations } = column;
  const { rewrite } = rule;
  if (rewrite === undefined) {
    // Without `rewrite` every value is set to null: one statement does this for millions of rows.
    const { rowCount } = await session.client.query(
      `update ${table} set ${name} = null${column.hasLoadedAt ? ', loaded_at = now()' : ''} where ${condition(column)}`,
      parametersOf(rule),
    );
    return { changed: rowCount ?? 0, missed: 0 };
  }
  let [changed, missed] = [0, 0];
  const query = `select
      ctid::text,
      ${name}::text as value,
      ${place.kind === 'email' ? 'user_id' : 'null::text'} as "userId",
      ${ofOrganizations ? 'org_key' : 'null::integer'} as "orgKey"
    from ${table}
    where ${condition(column)}`;
  await eachRows<StoredValue & { ctid: string }>(
    session.client,
    query,
    parametersOf(rule),
    await batchSize(session.client, table, name, leastRowsAtOnce),
    async (rows) => {
      signal.throwIfAborted();
      const changes = rows
        .map((row) => ({ row, ctid: row.ctid, before: row.value, after: rewrite(row, place) }))
        .filter(({ before, after }) => after !== before);
      if (changes.length === 0) return;
      for (const { row } of changes) if (row.orgKey !== null) onChange(row.orgKey);
      await rule.beforeWriting?.();
      for (const { row, after } of changes) if (after === null) await rule.beforeEmailGoes?.(session, row);
      const characters = changes.reduce((sum, { before }) => sum + before.length, 0);
      for (const portion of characters > mostCharactersAtOnce ? changes.map((each) => [each]) : [changes]) {
        const written = await write(session.client, column, rule, portion);
        changed += written;
        missed += portion.length - written;
      }
    },
  );
  return { changed, missed };
}

/** Reads the rows of a query in the caller's transaction, `rowsAtOnce` at a time, and awaits `onRows` for each part. */
export async function eachRows<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  query: string,
  parameters: readonly unknown[],
  rowsAtOnce: number,
  onRows: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  await client.query(`declare each_rows no scroll cursor for ${query}`, [...parameters]);
  for (;;) {
    const { rows } = await client.query<Row>(`fetch ${rowsAtOnce} from each_rows`);
    if (rows.length === 0) break;
    await onRows(rows);
  }
  await client.query('close each_rows');
}

/** Writes changes, in one statement if possible; returns how many rows still had the value that was read. */
async function write(
  client: pg.ClientBase,
  column: StoredColumn,
  rule: RemovalRule,
  changes: readonly Change[],
): Promise<number> {
  const { place, table, column: name, type, hasLoadedAt } = column;
  const reportedBy = place.kind === 'email' ? ['date', 'endpoint'].map((end) => `${name}_${end}`) : [];
  const set = [
    `${name} = change.after::${type}`,
    ...reportedBy.map((other) => `${other} = case when change.after is not null then stored.${other} end`),
    ...(hasLoadedAt ? ['loaded_at = now()'] : []),
  ];
  await client.query('savepoint changes');
  try {
    const { rowCount } = await client.query(
      `update ${table} as stored set ${set.join(', ')}
      from unnest($1::tid[], $2::text[], $3::text[]) as change (place, before, after)
      where stored.ctid = change.place and stored.${name}::text = change.before`,
      [
        changes.map(({ ctid }) => ctid),
        changes.map(({ before }) => before),
        changes.map(({ after }) => after),
      ],
    );
    await client.query('release savepoint changes');
    return rowCount ?? 0;
  } catch (error) {
    await client.query('rollback to savepoint changes; release savepoint changes');
    const [change] = changes;
    if (!isUniqueViolation(error) || change?.after == null) throw error;
    if (changes.length > 1) {
      let written = 0;
      for (const each of changes) written += await write(client, column, rule, [each]);
      return written;
    }
    const row = { ...column, ctid: change.ctid, after: change.after };
    // Writing failed because another row has the new name already.
    if (rule.onSameName === 'merge') await mergeRow(client, row);
    else await giveNumber(client, row, '#');
    return 1;
  }
}
