import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { fieldsOf, itemsOf } from '../support/exact-json.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { type Installation, install, organization } from '../support/installation.ts';
import { changeRows, without } from '../support/quirky-payloads.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

const [from, to] = ['2026-01-14', '2026-01-15'];
const spoiled = day(to);
const backfill = `backfill --from ${from} --to ${to}`;

async function rejectedRows({ database }: Installation) {
  const { rows } = await database.pool.query<{ endpoint: string; reason: string; payload: unknown }>(
    `select endpoint, usage_date::text, reason, payload, run_id is not null as has_run
    from etl.rejected_row order by rejected_row_id`,
  );
  return rows;
}

test('rows that cannot be loaded are kept with their reason while the others load', async () => {
  await using installation = await install({ users: 150 });
  const { database, dataset, load, payloads } = installation;
  const good = payloads(from, to);
  const [template] = dataset.rows('users', spoiled);
  const bad = [
    { ...without(fieldsOf(template), 'user_id'), note: 'nobody' },
    { ...fieldsOf(template), user_id: 'user_negative', tool_calls: -1 },
    { ...fieldsOf(template), user_id: 'user_text', messages: 'many' },
    { ...fieldsOf(template), user_id: 'user_of_another_day', date: '2026-01-14' },
    { ...fieldsOf(template), user_id: 'user_fraction', sessions: 1.5 },
  ];
  dataset.overrideRows('users', spoiled, [...bad, ...dataset.rows('users', spoiled)]);
  changeRows(dataset, 'tools', spoiled, (row) => ({
    ...row,
    by_tool: [{ tool: 'Broken', invocations: 'lots' }, ...itemsOf(row.by_tool), { invocations: 5 }],
  }));

  const { code, summary } = await load(backfill);
  expect(code).toBe(0);
  expect(summary.status).toBe('succeeded');
  expect(summary.rows.rejected).toBe(7);
  expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, good));

  const rejected = await rejectedRows(installation);
  expect(rejected).toHaveLength(7);
  const reasonOf = (expected: unknown) => {
    const match = rejected.find(
      ({ payload }) => JSON.stringify(payload) === JSON.stringify(sorted(expected, payload)),
    );
    return match?.reason;
  };
  expect(bad.map(reasonOf)).toEqual([
    expect.stringContaining('user_id'),
    expect.stringMatching(/tool_calls.*zero or more.*-1/),
    expect.stringMatching(/messages.*whole number.*"many"/),
    expect.stringMatching(/2026-01-15.*2026-01-14/),
    expect.stringMatching(/sessions.*whole number.*1\.5/),
  ]);
  expect(rejected.filter(({ endpoint }) => endpoint === 'tools').map(({ payload }) => payload)).toEqual([
    { tool: 'Broken', invocations: 'lots' },
    { invocations: 5 },
  ]);
  expect(rejected).toEqual(Array(7).fill(expect.objectContaining({ usage_date: spoiled, has_run: true })));
});

/** The fields of `expected` in the order in which Postgres keeps those of `stored`. */
function sorted(expected: unknown, stored: unknown): unknown {
  const fields = fieldsOf(expected);
  const names = Object.keys(fieldsOf(stored));
  const isSame = names.length === Object.keys(fields).length;
  return isSame ? Object.fromEntries(names.map((name) => [name, fields[name]])) : undefined;
}
