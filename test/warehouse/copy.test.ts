import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool, type Session, withTransaction } from '../../src/warehouse/connection/connection.ts';
import { isConnectionLoss } from '../../src/warehouse/connection/database-error.ts';
import { copyRows } from '../../src/warehouse/load/copy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, 1);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const chunkCount = 400;

/** Much more than a connection takes at once; `at` hears of each chunk and may put another in its place. */
function* chunks(at: (chunk: number) => Buffer | undefined): Generator<Buffer> {
  for (let chunk = 0; chunk < chunkCount; chunk++) yield at(chunk) ?? Buffer.from('1,1\n'.repeat(16_000));
}

/** Copies into a table of one transaction, on the only connection of the pool. */
function copy(rows: (session: Session, backend: number) => Iterable<Buffer>): Promise<void> {
  return withTransaction(pool, async (session) => {
    await session.client.query('create temporary table target (a integer, b integer) on commit drop');
    const { rows: backends } = await session.client.query('select pg_backend_pid() as pid');
    await copyRows(session, 'target (a, b)', rows(session, backends[0]?.pid));
  });
}

describe('a copy that ends early', () => {
  it.each([0, 1, 200, chunkCount - 1])(
    'at a row in chunk %i that the server refuses says so, and the connection goes on',
    async (bad) => {
      const copying = copy(() =>
        chunks((chunk) => (chunk === bad ? Buffer.from('1,one\n'.repeat(10_000)) : undefined)),
      );
      await expect(copying).rejects.toThrow('invalid input syntax for type integer: "one"');
      expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    },
  );

  /** A copy that `end` ends from another connection, in the middle. */
  async function copyEndedBy(end: string): Promise<unknown> {
    const ended: Promise<unknown>[] = [];
    const copying = copy((_, backend) =>
      chunks((chunk) => {
        if (chunk === 50) ended.push(database.pool.query(`select ${end}($1)`, [backend]));
        return undefined;
      }),
    );
    const [outcome] = await Promise.allSettled([copying]);
    await Promise.all(ended);
    return outcome.status === 'rejected' ? outcome.reason : undefined;
  }

  it('because it is cancelled says so, and the connection goes on', async () => {
    expect(await copyEndedBy('pg_cancel_backend')).toMatchObject({ code: '57014' });
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('because its connection is ended says so, and the pool goes on', async () => {
    expect(isConnectionLoss(await copyEndedBy('pg_terminate_backend'))).toBe(true);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('because its rows cannot be written ends at the server as well', async () => {
    const copying = copy(() =>
      chunks((chunk) => {
        if (chunk === 50) throw new RangeError('no memory left');
        return undefined;
      }),
    );
    await expect(copying).rejects.toThrow('no memory left');
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});
