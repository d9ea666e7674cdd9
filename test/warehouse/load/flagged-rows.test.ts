import { beforeEach, expect, it } from 'vitest';
import { reports } from '../../support/made-up-sources.ts';
import { sharedTableLoading, sliceOf, type TableLoad } from '../../support/table-loading.ts';

const loading = await sharedTableLoading();

beforeEach(async () => {
  await loading.query('delete from warehouse.fact_test_report');
  await loading.query('delete from warehouse.fact_test_app');
});

const all = sliceOf('reports', {}, 'all');
const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const report = (number: number, ...apps: string[]) => ({
  reportId: idOf(number),
  calls: 1,
  apps: Object.fromEntries(apps.map((app) => [app, { description: app, calls: 1 }])),
});

function load(records: readonly unknown[], maxDeletedShare?: number): Promise<TableLoad> {
  return loading.load(reports, all, [records], maxDeletedShare);
}

/** What is stored: of each report whether it is listed, and its applications. */
async function stored(): Promise<Record<string, unknown>> {
  const rows = await loading.query(`
    select r.report_id::text as id, is_listed, coalesce(string_agg(app_path, ' ' order by app_path), '') as apps
    from warehouse.fact_test_report as r left join warehouse.fact_test_app as a using (org_key, report_id)
    group by r.report_id, is_listed`);
  return Object.fromEntries(
    rows.map(({ id, is_listed, apps }) => [Number(String(id).slice(-3)), [is_listed, apps]]),
  );
}

const times = async () =>
  Object.fromEntries(
    (
      await loading.query(
        'select report_id::text as id, loaded_at::text as at from warehouse.fact_test_report',
      )
    ).map(({ id, at }) => [Number(String(id).slice(-3)), at]),
  );

it('a row that vanished is flagged once, keeps what is below it, and is listed again when it comes back', async () => {
  await load([report(1, 'a', 'b'), report(2, 'c')]);
  const before = await times();
  expect(await load([report(1, 'a', 'b')])).toMatchObject({
    inserted: 0,
    updated: 1,
    deleted: 0,
    tableRows: { fact_test_report: 2, fact_test_app: 3 },
  });
  expect(await stored()).toEqual({ 1: [true, 'a b'], 2: [false, 'c'] });
  const flagged = await times();
  expect(flagged).toMatchObject({ 1: before[1] });
  expect(flagged[2]).not.toBe(before[2]);

  expect(await load([report(1, 'a', 'b')])).toMatchObject({ inserted: 0, updated: 0, deleted: 0 });
  expect(await times()).toEqual(flagged);

  expect(await load([report(1, 'b'), report(2, 'c')])).toMatchObject({ inserted: 0, updated: 1, deleted: 1 });
  expect(await stored()).toEqual({ 1: [true, 'b'], 2: [true, 'c'] });
  expect((await times())[2]).not.toBe(flagged[2]);
});

it('a row of a report that cannot be read is not flagged, nor are those below it deleted', async () => {
  await load([report(1, 'a'), report(2, 'b'), report(3, 'c')]);
  const broken = { ...report(1), apps: 'none', calls: -1 };
  await load([broken, report(2, 'b')]);
  expect(await stored()).toEqual({ 1: [true, 'a'], 2: [true, 'b'], 3: [false, 'c'] });
});

it('an entry of a map that is no object keeps its row', async () => {
  await load([report(1, 'a', 'b', 'c')]);
  const { content } = await load([{ ...report(1, 'a'), apps: { a: { description: 'new' }, b: 'broken' } }]);
  expect(content.rejected.kept).toMatchObject([{ path: 'apps[]', payload: '{"key":"b","value":"broken"}' }]);
  expect(await loading.query('select app_path, description from warehouse.fact_test_app order by 1')).toEqual(
    [
      { app_path: 'a', description: 'new' },
      { app_path: 'b', description: 'b' },
    ],
  );
});

it('a list that lost most of what was listed is believed: what is flagged is not deleted', async () => {
  const many = Array.from({ length: 60 }, (_, index) => report(index));
  await load(many);
  expect(await load(many.slice(0, 5), 0.5)).toMatchObject({ refused: undefined, updated: 55, deleted: 0 });
  expect((await loading.query('select from warehouse.fact_test_report where is_listed')).length).toBe(5);
});

it('an empty list flags everything and deletes nothing', async () => {
  await load([report(1, 'a'), report(2, 'b')]);
  expect(await load([])).toMatchObject({ updated: 2, deleted: 0, tableRows: { fact_test_report: 2 } });
  expect(await stored()).toEqual({ 1: [false, 'a'], 2: [false, 'b'] });
});
