import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { fieldsOf, itemsOf } from '../support/exact-json.ts';
import { expectedEmails, expectedWarehouse, type Payload } from '../support/expected-warehouse.ts';
import { type Installation, install, organization } from '../support/installation.ts';
import { driftRows, expectNothingOrphaned, sliceRow } from '../support/ledger-rows.ts';
import { changeRows } from '../support/quirky-payloads.ts';
import { storedEmails, storedWarehouse } from '../support/stored-warehouse.ts';
import { tinyBounds, tinyChunkBytes } from '../support/tiny-bounds.ts';

const [from, to] = ['2026-01-14', '2026-01-15'];
const backfill = `backfill --from ${from} --to ${to}`;
const changes = { environment: tinyBounds };

type Fields = Readonly<Record<string, unknown>>;

async function expectStored({ database }: Installation, payloads: readonly Payload[]): Promise<void> {
  expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, payloads));
  expect(await storedEmails(database.pool)).toMatchObject(expectedEmails(payloads));
  await expectNothingOrphaned(database.pool);
}

test('slices of many pages and of records larger than a chunk are there whole, the last page included', async () => {
  await using installation = await install({ users: 400 });
  const { database, payloads } = installation;
  const served = payloads(from, to);
  for (const { rows, endpoint } of served)
    if (endpoint === 'users' || endpoint === 'tokens')
      expect(JSON.stringify(rows).length).toBeGreaterThan(5 * tinyChunkBytes);

  const { code, summary } = await loadInProcess(installation, backfill, changes);
  expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { loaded: 10, failed: 0 } });
  await expectStored(installation, served);
  for (const { endpoint, day: of, rows } of served)
    expect(await sliceRow(database.pool, endpoint, of)).toMatchObject({
      status: 'loaded',
      row_count: rows.length,
    });
});

test('a restated slice is changed to the row where it differs, wherever in it that is', async () => {
  await using installation = await install({ users: 400 });
  const { dataset, payloads } = installation;
  await loadInProcess(installation, backfill, changes);
  const last = dataset.rows('users', day(to)).length - 1;
  changeRows(dataset, 'users', to, (row, index) => {
    if (index === 0) return { ...row, sessions: 4_711 };
    if (index === last) return { ...row, languages: ['Zig'] };
    if (index === last - 1) return { ...row, user_id: 'user_zz_new' };
    return index % 10 === 5 ? undefined : row;
  });
  changeRows(dataset, 'tokens', to, (row) => ({
    ...row,
    by_user: itemsOf(row.by_user).filter((_user, index) => index % 10 !== 5),
  }));
  const nightly = await loadInProcess(installation, `nightly --date ${to}`, changes);
  expect(nightly).toMatchObject({ code: 0, summary: { slices: { loaded: 2, unchanged: 8, failed: 0 } } });
  await expectStored(installation, payloads(from, to));
});

/** An installation whose last page of `/users` ends with `again`, of the last day. */
function installRepeating(again: readonly Fields[]): Promise<Installation> {
  return install({
    users: 400,
    fault: ({ path, query }) =>
      path.endsWith('/users') && query.startDate === to
        ? {
            kind: 'mutate',
            mutate: (envelope) => {
              const { data, meta } = fieldsOf(envelope);
              const isLast = fieldsOf(meta).has_more === false;
              return { data: isLast ? [...itemsOf(data), ...again] : data, meta };
            },
          }
        : undefined,
  });
}

test('of a user who comes twice, the last word counts with all its languages, however far apart the two are', async () => {
  const again: Fields[] = [];
  await using installation = await installRepeating(again);
  const { database, dataset, payloads } = installation;
  const rows = dataset.rows('users', day(to)).map(fieldsOf);
  for (const [index, row] of rows.entries())
    if (index % 9 === 0) again.push({ ...row, sessions: index, languages: [`Language ${index}`, 'COBOL'] });
  again.push({ ...rows[0], sessions: 1, languages: ['Zig'] }, { ...rows[9], languages: [] });
  expect(again.length).toBeGreaterThan(5);

  const { code, summary } = await loadInProcess(installation, backfill, changes);
  expect({ code, failed: summary.slices.failed }).toEqual({ code: 0, failed: 0 });
  const served = payloads(from, to).map((payload) =>
    payload.endpoint === 'users' && payload.day === to
      ? { ...payload, rows: [...payload.rows, ...again] }
      : payload,
  );
  await expectStored(installation, served);
  expect(await driftRows(database.pool, 'users', 'duplicate_key')).not.toEqual([]);

  const second = await loadInProcess(installation, `nightly --date ${to}`, changes);
  expect(second).toMatchObject({
    code: 0,
    summary: { rows: { inserted: 0, updated: 0, deleted: 0 }, slices: { unchanged: 10 } },
  });
  await expectStored(installation, served);
});

const model = (model_id: string, credits: number) => ({
  model_id,
  model_tier: 'standard',
  billable_tokens: credits,
  input_tokens: 3,
  output_tokens: 4,
});

test('entries that come twice in one record are summed, however far apart the two are', async () => {
  await using installation = await install({ users: 400 });
  const { database, dataset, payloads } = installation;
  changeRows(dataset, 'tokens', to, ({ date, ...row }) => {
    const byUser = itemsOf(row.by_user);
    const [first, second] = byUser.map(fieldsOf);
    const twins = [
      { ...first, billable_tokens: 0.1, by_model: [model('m', 1), ...itemsOf(first?.by_model)] },
      { ...second, billable_tokens: 0.2, by_model: [model('m', 2)] },
      { ...second, billable_tokens: 0.3, by_model: [model('m', 0.5)] },
    ];
    const byModel = [model('m', 1), ...itemsOf(row.by_model), model('m', 0.25)];
    // The day may come last: nothing before it can be told to belong to this day.
    return { ...row, by_model: byModel, by_user: [...byUser, ...twins], date };
  });
  changeRows(dataset, 'tools', to, (row) => {
    const tools = Array.from({ length: 200 }, (_, index) => ({ tool: `Tool ${index}`, invocations: index }));
    const hooks = tools.map(({ tool }) => ({ event: 'Stop', matcher: '', command: tool, count: 1 }));
    return {
      ...row,
      by_tool: [...tools, { tool: 'Tool 1', invocations: 1000 }],
      hooks_by_event: [...hooks, { event: 'Stop', matcher: '', command: 'Tool 2', count: 41 }],
    };
  });
  expect((await loadInProcess(installation, backfill, changes)).code).toBe(0);
  await expectStored(installation, payloads(from, to));
  expect(await driftRows(database.pool, 'tokens', 'duplicate_key')).not.toEqual([]);
  expect(await driftRows(database.pool, 'tools', 'duplicate_key')).not.toEqual([]);
});

test('two records of one day are summed with all that is below them', async () => {
  await using installation = await install({ users: 400 });
  const { database, dataset, payloads } = installation;
  const [record] = dataset.rows('tokens', day(to));
  const { by_user, by_model, ...figures } = fieldsOf(record);
  dataset.overrideRows('tokens', day(to), [
    record,
    { ...figures, by_model, by_user: itemsOf(by_user).toReversed(), input_tokens: 7, billable_tokens: 0.125 },
  ]);
  expect((await loadInProcess(installation, backfill, changes)).code).toBe(0);
  await expectStored(installation, payloads(from, to));
  expect(await driftRows(database.pool, 'tokens', 'duplicate_key')).not.toEqual([]);
});
