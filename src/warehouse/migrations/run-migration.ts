/** Runs a migration, with what others have built on what it drops. */
import type pg from 'pg';
import { codeOf } from '../../model/error-code.ts';

const dependentObjectsStillExist = '2BP01';
const drop = /^drop (?:view|function) [^;]+(?=;)/gm;
/** The code of a notice that an object is dropped with another one; notices about existing objects have other codes. */
const noCondition = '00000';
const inEnglish = /^drop cascades to /;

/** What Postgres says beside the result of a statement. */
interface Notice {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly detail?: string | undefined;
}

/**
 * Runs a migration within the transaction that is open. What it drops takes with it what others have built on that;
 * returns that, in the words of Postgres. Throws what the database throws.
 */
export async function runMigration(client: pg.ClientBase, text: string): Promise<readonly string[]> {
  await client.query('savepoint before_migration');
  try {
    // Without parameters, node-postgres sends the text as a simple query, which may hold many statements.
    await client.query(text);
    return [];
  } catch (error) {
    if (codeOf(error) !== dependentObjectsStillExist) throw error;
    await client.query('rollback to savepoint before_migration');
    return await runCascading(client, text);
  } finally {
    await client.query('release savepoint before_migration').catch(() => undefined);
  }
}

async function runCascading(client: pg.ClientBase, text: string): Promise<readonly string[]> {
  const dropped: string[] = [];
  const onNotice = ({ code, message = '', detail = message }: Notice) => {
    // One is named in the message, several are in the detail.
    if (code === noCondition) dropped.push(...detail.split('\n').map((line) => line.replace(inEnglish, '')));
  };
  await client.query("set local client_min_messages = 'notice'");
  client.on('notice', onNotice);
  try {
    await client.query(text.replaceAll(drop, '$& cascade'));
  } finally {
    client.off('notice', onNotice);
  }
  return dropped;
}
