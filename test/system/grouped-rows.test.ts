import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { fieldsOf } from '../support/exact-json.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { install, organization } from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

const yesterday = '2026-01-14';
const backfill = `backfill --from ${yesterday} --to ${yesterday} --endpoints`;

test.each(['tokens', 'tools', 'activity'])(
  'rows of groups in an answer of /%s that was not asked for them are no rows of the day',
  async (endpoint) => {
    await using installation = await install({ users: 30 });
    const { database, dataset, load, payloads } = installation;
    const right = payloads(yesterday, yesterday);
    expect((await load(`${backfill} tokens,tools,activity,productivity,users`)).code).toBe(0);
    dataset.overrideRows(endpoint, day(yesterday), dataset.groupedRows(endpoint, day(yesterday)));

    const { code, summary } = await load(`${backfill} ${endpoint} --force`);
    expect({ code, failed: summary.slices.failed }).toEqual({ code: 1, failed: 1 });
    expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, right));
    const { rows } = await database.pool.query<{ last_error: string }>(
      'select last_error from etl.slice where endpoint = $1',
      [endpoint],
    );
    expect(rows[0]?.last_error).toContain('got the row of a group');
  },
);

test.each(['productivity', 'users'])(
  'a single row with a group in an answer of /%s is rejected',
  async (endpoint) => {
    await using installation = await install({ users: 30 });
    const { database, dataset, load, payloads } = installation;
    const [row] = dataset.rows(endpoint, day(yesterday));
    const right = payloads(yesterday, yesterday);
    const other = { ...fieldsOf(row), user_id: 'user_of_a_group', group_key: 'web' };
    dataset.overrideRows(endpoint, day(yesterday), [other, ...dataset.rows(endpoint, day(yesterday))]);

    const { summary } = await load(`${backfill} tokens,tools,activity,productivity,users`);
    expect(summary.rows.rejected).toBe(1);
    expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, right));
    const { rows } = await database.pool.query('select endpoint, reason from etl.rejected_row');
    expect(rows).toEqual([
      { endpoint, reason: expect.stringContaining('group_key: expected the row of a day') },
    ]);
  },
);
