import { beforeAll, describe, expect, test } from 'vitest';
import { fieldsOf, itemsOf } from '../support/exact-json.ts';
import { expectedWarehouse, type Payload } from '../support/expected-warehouse.ts';
import { type Loaded, organization, sharedInstallation } from '../support/installation.ts';
import { changeRows, without } from '../support/quirky-payloads.ts';
import { loadTimes, storedWarehouse } from '../support/stored-warehouse.ts';

const [from, to] = ['2026-01-14', '2026-01-20'];
/** Within the three days before `to` that nightly reads again. */
const restated = '2026-01-19';
const outsideLookback = '2026-01-15';

const installation = await sharedInstallation({ users: 60 });

describe('nightly after the platform restated a day', () => {
  let payloads: Payload[];
  let nightly: Loaded;
  let usersBefore: ReadonlyMap<string, string>;
  let toolsBefore: ReadonlyMap<string, string>;
  let restatedUsers: readonly string[];

  beforeAll(async () => {
    const { dataset, database } = installation;
    await installation.load(`backfill --from ${from} --to ${to}`);
    usersBefore = await loadTimes(database.pool, 'fact_user_daily');
    toolsBefore = await loadTimes(database.pool, 'fact_tool_usage_daily');
    const served = installation.payloads(from, to);
    restatedUsers = (
      served.find(({ endpoint, day }) => endpoint === 'users' && day === restated)?.rows ?? []
    ).map((row) => String(fieldsOf(row).user_id));

    changeRows(dataset, 'users', restated, (row, index) => {
      if (index === 0) return { ...row, tool_calls: 0, billable_tokens: 1.5 };
      if (index === 1) return { ...row, git_commits: null };
      if (index === 2) return without(row, 'sessions');
      if (index === 3) return undefined;
      if (index === 4) return { ...row, languages: ['Zig'] };
      if (index === 5) return { ...row, user_id: 'user_new', user_email: 'new@example.com' };
      return row;
    });
    changeRows(dataset, 'tokens', restated, (row) => ({
      ...row,
      billable_tokens: 0,
      cache_read_tokens: null,
      by_user: itemsOf(row.by_user).slice(1),
      by_model: [],
    }));
    let keptBreakdown: unknown;
    changeRows(dataset, 'tools', restated, (row) => {
      keptBreakdown = row.skills_by_name;
      const byTool = itemsOf(row.by_tool).map((entry, index) =>
        index === 0 ? { ...fieldsOf(entry), invocations: 0 } : entry,
      );
      return { ...without(row, 'skills_by_name'), by_tool: byTool, web_users: 77 };
    });
    changeRows(dataset, 'activity', outsideLookback, (row) => ({ ...row, sessions: 123_456 }));

    nightly = await installation.load(`nightly --date ${to}`);
    // What feeds a table was missing from the payload, which leaves its rows as they were.
    payloads = installation.payloads(from, to).map((payload) => {
      const isAsBefore = payload.endpoint === 'activity' && payload.day === outsideLookback;
      if (isAsBefore)
        return served.find(({ endpoint, day }) => endpoint === 'activity' && day === payload.day) ?? payload;
      if (payload.endpoint !== 'tools' || payload.day !== restated) return payload;
      return { ...payload, rows: [{ ...fieldsOf(payload.rows[0]), skills_by_name: keptBreakdown }] };
    });
  });

  test('makes the warehouse equal to the new payloads', async () => {
    expect(nightly.code).toBe(0);
    expect(restatedUsers.length).toBeGreaterThan(8);
    expect(await storedWarehouse(installation.database.pool)).toEqual(
      expectedWarehouse(organization, payloads),
    );
  });

  test('reads only the days of the lookback again', () => {
    expect(nightly.summary.slices).toMatchObject({ planned: 20, loaded: 3, unchanged: 17 });
  });

  test('changes loaded_at of the user rows that changed, and of no other', async () => {
    const after = await loadTimes(installation.database.pool, 'fact_user_daily');
    const idOf = (index: number) => `${restated} ${restatedUsers[index]}`;
    const changed = [...after].filter(([key, time]) => time !== usersBefore.get(key)).map(([key]) => key);
    expect(changed.sort()).toEqual([idOf(0), idOf(1), idOf(2), `${restated} user_new`].sort());
    const vanished = [...usersBefore.keys()].filter((key) => !after.has(key));
    expect(vanished.sort()).toEqual([idOf(3), idOf(5)].sort());
  });

  test('changes loaded_at of the one tool that was restated to zero', async () => {
    const after = await loadTimes(installation.database.pool, 'fact_tool_usage_daily');
    const changed = [...after].filter(([key, time]) => time !== toolsBefore.get(key));
    expect(changed).toHaveLength(1);
    expect(changed[0]?.[0]).toMatch(new RegExp(`^${restated} `));
  });

  test('reports what was missing as drift', async () => {
    const { rows } = await installation.database.pool.query(
      "select endpoint, path from etl.drift where kind = 'missing_field' order by 1, 2",
    );
    expect(rows).toEqual([
      { endpoint: 'tools', path: 'skills_by_name' },
      { endpoint: 'users', path: 'sessions' },
    ]);
  });

  test('counts the run in the ledger as it printed it', async () => {
    const { run_id, rows: figures, requests } = nightly.summary;
    const { rows } = await installation.database.pool.query(
      `select job, status, requests, rows_read, rows_inserted, rows_updated, rows_deleted, rows_rejected, error,
        finished_at is not null as is_finished
      from etl.run where run_id = $1`,
      [run_id],
    );
    expect(rows).toEqual([
      {
        job: 'nightly',
        status: 'succeeded',
        requests: String(requests.sent),
        rows_read: String(figures.read),
        rows_inserted: String(figures.inserted),
        rows_updated: String(figures.updated),
        rows_deleted: String(figures.deleted),
        rows_rejected: '0',
        error: null,
        is_finished: true,
      },
    ]);
  });
});
