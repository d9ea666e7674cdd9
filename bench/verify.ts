/** Measures `verify` of ten days, with and without much other data in the database. The platform answers at once. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { flattenOf } from '../src/flatten/flatten.ts';
import { systemClock } from '../src/model/clock.ts';
import { addDays, yesterday } from '../src/model/day.ts';
import { namedColumns } from '../src/model/table.ts';
import { dailySources, sources } from '../src/sources/registry.ts';
import { type BenchContext, timed } from './context.ts';
import { type Figure, median } from './figures.ts';
import { runEtl } from './program.ts';
import type { BenchWarehouse } from './server.ts';
import { fillStatements, type UsageSize } from './year-of-usage.ts';

/** The size of an organization with about 1.03 million user-days. */
const oneOrganization: UsageSize = { users: 12_000, days: 260 };
const rounds = 3;

/**
 * Seconds of whole runs (the median of three): of an organization that is alone in the database, and of one beside
 * another of the same size.
 */
export async function measureVerify({ server, quick, say }: BenchContext): Promise<Figure[]> {
  await using warehouse = await server.createWarehouse();
  await using platform = await startPlatform();
  const size = quick ? { users: 200, days: 60 } : oneOrganization;
  say('verify: making an organization');
  const userDays = await warehouse.session(async (client) => {
    for (const statement of fillStatements(size)) await client.query(statement);
    await client.query(listTables, [tableNames, tableEndpoints]);
    await client.query('vacuum analyze');
    const { rows } = await client.query<{ count: string }>('select count(*) from warehouse.fact_user_daily');
    return Number(rows[0]?.count);
  });
  const alone = await secondsOf(warehouse, platform);
  say(`verify: ten days alone: ${alone.join(', ')} s; adding another organization`);
  await warehouse.session(async (client) => {
    for (const statement of copyStatements(size)) await client.query(statement);
    await client.query('analyze');
  });
  const beside = await secondsOf(warehouse, platform);
  say(`verify: ten days beside another organization: ${beside.join(', ')} s`);
  const note = `${userDays.toLocaleString('en')} user-days; the platform answers at once, start and end of the program included`;
  const figure = (name: string, seconds: readonly number[]): Figure => ({
    part: 'verify',
    name,
    value: median(seconds),
    unit: 's',
    target: { of: 'value', better: 'lower', must: 3, aim: 1.5 },
    note,
  });
  return [
    figure('ten days, alone in the database', alone),
    figure('ten days, beside an organization as large', beside),
  ];
}

interface FakePlatform extends AsyncDisposable {
  readonly url: string;
}

/** A platform that answers `group_by` without rows, so that every stored group is a contradiction. */
async function startPlatform(): Promise<FakePlatform> {
  const server = createServer(({ url = '' }, response) => {
    const { startDate, endDate } = Object.fromEntries(new URL(url, 'http://platform').searchParams);
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        data: [],
        meta: { org_id: 'org_bench', start_date: startDate, end_date: endDate },
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('expected a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function secondsOf(warehouse: BenchWarehouse, platform: FakePlatform): Promise<number[]> {
  const to = yesterday(systemClock);
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { ms } = await timed(() =>
      runEtl(['verify', '--from', addDays(to, -9), '--to', to, '--json'], {
        API_BASE_URL: platform.url,
        API_KEY: 'key',
        DATABASE_URL: warehouse.url,
        REQUESTS_PER_SECOND: '10000',
      }),
    );
    seconds.push(Math.round(ms) / 1_000);
  }
  return seconds;
}

const tables = sources.flatMap((source) =>
  flattenOf(source).tables.map((table) => ({ table, endpoint: source.name })),
);
const tableNames = tables.map(({ table }) => table.name);
const tableEndpoints = tables.map(({ endpoint }) => endpoint);

/** Records the rows of the tables in the ledger. */
const listTables = `
  update etl.slice as s
  set table_rows = held.table_rows, row_count = 0
  from (
    select e.endpoint, d.usage_date, jsonb_object_agg(e.table_name, coalesce(r.row_count, 0)) as table_rows
    from unnest($1::text[], $2::text[]) as e (table_name, endpoint)
    cross join (select distinct usage_date from etl.slice) as d
    left join etl.rows_per_day(1, '2000-01-01', '2999-12-31') as r
      on r.table_name = e.table_name and r.usage_date = d.usage_date
    group by 1, 2
  ) as held
  where s.endpoint = held.endpoint and s.usage_date = held.usage_date`;

/** Copies the rows to a second organization with its own users. */
function copyStatements({ users }: UsageSize): string[] {
  const daily = tables.filter(({ endpoint }) => dailySources.some((source) => source.name === endpoint));
  return [
    `insert into warehouse.dim_org (org_key, org_id) overriding system value values (2, 'org_other')`,
    `insert into warehouse.dim_user (org_key, user_id, user_email)
     select 2, user_id, user_email from warehouse.dim_user where org_key = 1 order by user_key`,
    ...daily.map(({ table }) => {
      const columns = [
        'usage_date',
        ...[...namedColumns(table), ...table.values].map(({ column }) => column),
      ];
      const values = columns.map((column) => (column === 'user_key' ? `user_key + ${users}` : column));
      return `insert into warehouse.${table.name} (org_key, ${columns.join(', ')})
        select 2, ${values.join(', ')} from warehouse.${table.name} where org_key = 1`;
    }),
    `insert into etl.slice (org_key, endpoint, slice_key, usage_date, status, row_count, table_rows, fetched_at, loaded_at)
     select 2, endpoint, slice_key, usage_date, status, row_count, table_rows, fetched_at, loaded_at from etl.slice`,
    `insert into warehouse.person_assignment (org_key, user_id, team, department, cost_center, valid_from, valid_to)
     select 2, user_id, team, department, cost_center, valid_from, valid_to from warehouse.person_assignment where org_key = 1`,
  ];
}
