import { beforeEach, describe, expect, it } from 'vitest';
import { sources } from '../../../src/sources/registry.ts';
import { readSqlChecks } from '../../../src/warehouse/checks/all-checks.ts';
import { rowsInLedger } from '../../../src/warehouse/checks/table-checks.ts';
import { sampleRows } from '../../support/samples.ts';
import { sharedSliceLoading } from '../../support/slice-loading.ts';

const loading = await sharedSliceLoading();

beforeEach(async () => {
  await loading.clear();
  await loading.load('tokens', await sampleRows('tokens'));
});

/** What a check of this name finds. */
async function found(check: string): Promise<Record<string, unknown>[]> {
  const { text } = (await readSqlChecks(sources)).find(({ name }) => name === check)?.comparisons ?? {
    text: '',
  };
  const compared = await loading.query(text, [loading.context.orgKey, '2026-01-01', '2026-12-31']);
  return compared.filter(({ verdict }) => verdict === 'contradiction');
}

/** Tells the ledger that one row of each table came with another slice of the same day. */
async function splitSlice(): Promise<void> {
  await loading.query(`
    insert into etl.slice (org_key, endpoint, usage_date, status, slice_key, row_count, table_rows)
    select org_key, endpoint, usage_date, status, 'another', 1,
      (select jsonb_object_agg(key, 1) from jsonb_each(table_rows))
    from etl.slice`);
  await loading.query(`
    update etl.slice
    set row_count = row_count - 1,
      table_rows = (select jsonb_object_agg(key, value::integer - 1) from jsonb_each(table_rows))
    where slice_key <> 'another'`);
}

describe('several slices of one day', () => {
  it('are added up where stored rows are compared with the ledger', async () => {
    await splitSlice();
    expect(await found('ledger_without_facts')).toEqual([]);
    expect(await found('facts_without_ledger')).toEqual([]);
    const { text } = rowsInLedger(sources).comparisons;
    const compared = await loading.query(text, [loading.context.orgKey, '2026-01-01', '2026-12-31']);
    expect(compared).toHaveLength(5);
    expect(new Set(compared.map(({ verdict }) => verdict))).toEqual(new Set(['ok']));
    await loading.query("update etl.slice set table_rows = '{}' where slice_key = 'another'");
    expect(await found('ledger_without_facts')).toHaveLength(4);
  });

  it('are one day of the endpoint', async () => {
    await splitSlice();
    expect(
      await loading.query(
        'select days_loaded::int, days_missing::int from bi.data_freshness where last_day is not null',
      ),
    ).toEqual([{ days_loaded: 1, days_missing: 0 }]);
  });
});

describe('rows of a day', () => {
  it.each(['failed', 'pending', 'empty'])('that the ledger calls %s are found', async (status) => {
    expect(await found('facts_without_ledger')).toEqual([]);
    await loading.query('update etl.slice set status = $1', [status]);
    const rows = await found('facts_without_ledger');
    expect(rows).toHaveLength(4);
    expect(rows[0]?.detail).toMatch(new RegExp(`but the ledger calls the day ${status}$`));
  });
});
