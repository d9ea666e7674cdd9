import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { type Check, readRemainders, recordComparisons } from '../../src/warehouse/checks/check-results.ts';
import { openPool, withSession } from '../../src/warehouse/connection/connection.ts';
import { organizationKey } from '../../src/warehouse/ledger/organization.ts';
import { openRun } from '../../src/warehouse/ledger/run-ledger.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let pool: ReturnType<typeof openPool>;
let check: Omit<Check, 'name'>;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, 2);
  check = await withSession(pool, async (session) => ({
    runId: await openRun(session, 'verify', {}, 'test'),
    orgKey: await organizationKey(session.db, 'org_test'),
    range: { from: day('2026-01-14'), to: day('2026-01-15') },
  }));
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const record = (name: string, text: string, ...parameters: readonly unknown[]) =>
  withSession(pool, (session) => recordComparisons(session, { ...check, name }, { text, parameters }));

const kept = async (name: string) => {
  const { rows } = await database.pool.query(
    'select usage_date::text, verdict, expected, actual, detail from etl.check_result where check_name = $1 order by check_result_id',
    [name],
  );
  return rows;
};

describe('recordComparisons', () => {
  test('counts every comparison and keeps only what does not agree', async () => {
    const counts = await record(
      'mixed',
      `select 'tools' as endpoint, $2::date as usage_date, whole as expected, part as actual, verdict, $4::text as detail
      from (values (1, 1, 'ok'), (2, 2, 'ok'), (5, 7, 'contradiction')) as c (whole, part, verdict);`,
      'what is compared',
    );
    expect(counts).toEqual({ compared: 3, ok: 2, remainders: 0, contradictions: 1 });
    expect(await kept('mixed')).toEqual([
      {
        usage_date: '2026-01-14',
        verdict: 'contradiction',
        expected: '5',
        actual: '7',
        detail: 'what is compared',
      },
    ]);
  });

  test('keeps the remainders of one kind and day as one row', async () => {
    const counts = await record(
      'remainders',
      `select null as endpoint, usage_date, 10.5 as expected, 4 as actual, 'remainder' as verdict, detail
      from (values ($2::date, 'a'), ($2, 'a'), ($2, 'b'), ($3::date, 'a')) as c (usage_date, detail)`,
    );
    expect(counts).toEqual({ compared: 4, ok: 0, remainders: 4, contradictions: 0 });
    expect(await kept('remainders')).toEqual([
      { usage_date: '2026-01-14', verdict: 'remainder', expected: '21.0', actual: '8', detail: 'a' },
      { usage_date: '2026-01-14', verdict: 'remainder', expected: '10.5', actual: '4', detail: 'b' },
      { usage_date: '2026-01-15', verdict: 'remainder', expected: '10.5', actual: '4', detail: 'a' },
    ]);
    expect(await withSession(pool, ({ db }) => readRemainders(db, check.runId))).toEqual([
      { check: 'remainders', detail: 'a', days: 2, expected: '31.5', unattributed: '19.5' },
      { check: 'remainders', detail: 'b', days: 1, expected: '10.5', unattributed: '6.5' },
    ]);
  });

  test('keeps the ten thousand largest contradictions of a check and says how many more there are', async () => {
    const counts = await record(
      'flood',
      `select null as endpoint, $2::date as usage_date, 0 as expected, n as actual, 'contradiction' as verdict, '' as detail
      from generate_series(1, 10003) as n`,
    );
    expect(counts.contradictions).toBe(10_003);
    const rows = await kept('flood');
    expect(rows).toHaveLength(10_001);
    expect(rows[0]).toMatchObject({ actual: '10003' });
    expect(rows[9_999]).toMatchObject({ actual: '4' });
    expect(rows.at(-1)).toMatchObject({ verdict: 'contradiction', detail: '3 more that are not listed' });
  });
});
