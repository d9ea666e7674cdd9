import { describe, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import type { SimulatedRequest } from '../../src/simulator/server.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { itemsOf } from '../support/exact-json.ts';
import { endpoints, type Installation, install } from '../support/installation.ts';
import { expectNothingOrphaned } from '../support/ledger-rows.ts';
import { changeRows, without } from '../support/quirky-payloads.ts';
import { tinyBounds } from '../support/tiny-bounds.ts';

const [from, to] = ['2026-02-02', '2026-02-09'];
const backfill = `backfill --from ${from} --to ${to}`;
const environment = { ...tinyBounds, WINDOW_DAYS: '1', PAGE_SIZE: '5' };

/** Every end that a slice can come to, each on a day of its own; the days before and after end well. */
const days = {
  someRejected: day('2026-02-03'),
  tooManyRejected: day('2026-02-04'),
  refusedByDatabase: day('2026-02-05'),
  cutOff: day('2026-02-06'),
  notAnswered: day('2026-02-07'),
  withoutRows: day('2026-02-08'),
};

function faultOf({ days: asked, query }: SimulatedRequest): Fault | undefined {
  if (asked?.from === days.notAnswered) return { kind: 'status', status: 500 };
  if (asked?.from === days.cutOff && query.cursor !== undefined) return { kind: 'truncate' };
  return undefined;
}

async function spoil({ database, dataset }: Installation): Promise<void> {
  changeRows(dataset, 'users', days.someRejected, (row, index) =>
    index === 1 ? { ...row, hooks: -1 } : row,
  );
  changeRows(dataset, 'tools', days.someRejected, (row) => ({
    ...row,
    by_tool: [...itemsOf(row.by_tool), { tool: 'Bad', invocations: 'lots' }],
  }));
  changeRows(dataset, 'users', days.tooManyRejected, (row, index) =>
    index % 2 === 0 ? without(row, 'user_id') : row,
  );
  changeRows(dataset, 'tokens', days.tooManyRejected, (row) => ({ ...row, billable_tokens: 'many' }));
  for (const endpoint of endpoints)
    changeRows(dataset, endpoint, days.refusedByDatabase, (row, index) => ({ ...row, sessions: index + 1 }));
  // The second refuses to note a success, and lets a failure be noted, in whichever column.
  await database.pool.query(`
    alter table warehouse.fact_user_daily
      add constraint refused check (usage_date <> '${days.refusedByDatabase}') not valid;
    alter table etl.slice
      add constraint refused check (usage_date <> '${days.refusedByDatabase}' or endpoint <> 'activity'
        or coalesce(to_jsonb(slice) ->> 'last_error', error) is not null) not valid`);
  for (const endpoint of endpoints) dataset.overrideRows(endpoint, days.withoutRows, []);
}

/** What the warehouse holds of the range when the run begins. */
const beginnings = ['nothing', 'every day', 'days that somebody removed from the ledger'];

describe.each(beginnings)('where the warehouse holds %s', (held) => {
  async function begin(fault: (request: SimulatedRequest) => Fault | undefined): Promise<Installation> {
    let isSpoiled = false;
    const installation = await install({
      users: 80,
      fault: (request) => (isSpoiled ? fault(request) : undefined),
    });
    if (held !== 'nothing')
      expect((await loadInProcess(installation, backfill, { environment })).code).toBe(0);
    if (held.includes('removed')) await installation.database.pool.query('delete from etl.slice');
    isSpoiled = true;
    return installation;
  }

  test('the ledger knows every slice of archive and quarantine, whatever its slices come to', async () => {
    await using installation = await begin(faultOf);
    await spoil(installation);
    const { code, summary } = await loadInProcess(installation, `${backfill} --force`, { environment });
    expect({ code, status: summary.status }).toEqual({ code: 1, status: 'partial' });
    expect(summary.slices.failed).toBeGreaterThan(9);
    await expectNothingOrphaned(installation.database.pool);

    await loadInProcess(installation, `${backfill} --force --allow-empty`, { environment });
    await expectNothingOrphaned(installation.database.pool);
  });

  test('the ledger knows every slice of archive and quarantine, also of a run that was stopped and of the next', async () => {
    let isRefused = true;
    await using installation = await begin(({ days: asked }) =>
      isRefused && asked?.from === days.cutOff ? { kind: 'status', status: 401 } : undefined,
    );
    const stopped = await loadInProcess(installation, `${backfill} --force`, { environment });
    expect(stopped.code).toBe(3);
    // What a run never came to is as somebody left it.
    if (!held.includes('removed')) await expectNothingOrphaned(installation.database.pool);
    isRefused = false;
    expect((await loadInProcess(installation, backfill, { environment })).code).toBe(0);
    await expectNothingOrphaned(installation.database.pool);
  });
});
