/** A warehouse with odd names, teams and prices, and pages of `report` about it. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Big from 'big.js';
import { expect } from 'vitest';
import { day } from '../../src/model/day.ts';
import { readinessReportsOf } from '../../src/simulator/readiness-reports.ts';
import { type Installation, install } from './installation.ts';
import { changeRows } from './quirky-payloads.ts';

/** The days of the page, as a condition in SQL. */
export const range = `between '2026-02-16' and '2026-03-10'`;
/** A name that would be markup if it were not escaped. */
export const markup = `<img src=x onerror="alert('1')">&amp;`;
/** An e-mail address within the name of something that is no person. */
export const anybody = 'ada.lovelace@example.org';

/** The warehouse, a directory for files, and the function that makes pages. */
export interface Reported extends AsyncDisposable {
  readonly installation: Installation;
  readonly directory: string;
  /** The page of `range`. */
  readonly page: string;
  /** Runs `report` with these options, and returns the page. */
  report(options: string, environment?: Readonly<Record<string, string>>): Promise<string>;
}

/** Loads the warehouse, and makes the page. */
export async function installReported(): Promise<Reported> {
  const reports = readinessReportsOf(7, day('2026-01-14'), Date.now);
  const installation = await install({ users: 30, reports });
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-report-'));
  const { dataset } = installation;
  const odd = {
    model_id: markup,
    model_tier: anybody,
    billable_tokens: 1234.5678,
    input_tokens: 1,
    output_tokens: 1,
  };
  changeRows(dataset, 'tokens', '2026-02-20', (row) => ({ ...row, by_model: [odd] }));
  const hidden = ['one@example.org', 'two@example.org'].map((model_tier) => ({ ...odd, model_tier }));
  changeRows(dataset, 'tokens', '2026-01-20', (row) => ({ ...row, by_model: hidden }));
  changeRows(dataset, 'tools', '2026-02-20', (row) => ({
    ...row,
    by_tool: [{ tool: markup, invocations: 98_765 }],
    mcp_by_server: [{ server: `${anybody} ${'x'.repeat(100_000)}`, invocations: 98_765 }],
  }));
  await succeeds(installation, 'backfill --to 2026-03-10', { APP_BASE_URL: installation.simulator.url });
  const { rows } = await installation.database.pool.query(
    'select user_id from warehouse.dim_user order by 1',
  );
  const people = rows.map(
    ({ user_id }, place) => `${user_id},${place % 3 === 0 ? 'A & B <i>' : 'C'},2026-02-18`,
  );
  await writeFile(join(directory, 'people.csv'), ['user_id,team,valid_from', ...people].join('\n'));
  const prices = 'model_id,model_tier,price_per_million_credits,currency,valid_from';
  const { rows: models } = await installation.database.pool.query(
    'select distinct model_id from warehouse.dim_model where model_id ~ $1 order by 1',
    ['^[a-z0-9.-]+$'],
  );
  await writeFile(
    join(directory, 'prices.csv'),
    [prices, ...models.slice(1).map(({ model_id }) => `${model_id},*,3.7,EUR,2026-01-14`)].join('\n'),
  );
  await succeeds(installation, `people import ${join(directory, 'people.csv')}`);
  await succeeds(installation, `prices import ${join(directory, 'prices.csv')}`);
  const report = async (options: string, environment: Readonly<Record<string, string>> = {}) => {
    const file = join(directory, 'page.html');
    await succeeds(installation, `report ${options} --out ${file}`, environment);
    return await readFile(file, 'utf8');
  };
  return {
    installation,
    directory,
    page: await report('--from 2026-02-16 --to 2026-03-10'),
    report,
    async [Symbol.asyncDispose]() {
      await installation[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

async function succeeds(
  installation: Installation,
  commandLine: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { code, stderr } = await installation.run(commandLine, environment);
  expect(code, stderr).toBe(0);
}

/** The rows of a select in the form of `rowsOf`: the first `keys` columns are the key, all others are figures. */
export async function asked({ database }: Installation, keys: number, select: string) {
  const client = await database.pool.connect();
  try {
    await client.query('begin; set local role usage_analyst');
    const { fields, rows } = await client.query({
      text: select,
      rowMode: 'array',
      types: { getTypeParser: () => (text: string) => text },
    });
    return rows.map((row: (string | null)[]) => ({
      key: row.slice(0, keys),
      figures: Object.fromEntries(
        fields.slice(keys).map(({ name }, place) => [name, exact(row[keys + place] ?? null)]),
      ),
    }));
  } finally {
    await client.query('rollback');
    client.release();
  }
}

function exact(text: string | null): string | null {
  return text === null ? null : new Big(text).toFixed();
}
