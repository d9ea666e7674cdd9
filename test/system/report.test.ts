/** The page of `report`: its figures are those of the views, whatever is in them, and it tells no more than it should. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Big from 'big.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { addDays, day, yesterday } from '../../src/model/day.ts';
import { readinessReportsOf } from '../../src/simulator/readiness-reports.ts';
import { type Installation, install, organization } from '../support/installation.ts';
import { changeRows } from '../support/quirky-payloads.ts';
import { headsOf, rowsOf, textOf } from '../support/report-page.ts';

const range = `between '2026-02-16' and '2026-03-10'`;
const before = `between '2026-01-24' and '2026-02-15'`;
const markup = `<img src=x onerror="alert('1')">&amp;`;
const anybody = 'ada.lovelace@example.org';

let installation: Installation;
let directory: string;
/** The page of `range`. */
let page: string;

beforeAll(async () => {
  const reports = readinessReportsOf(7, day('2026-01-14'), Date.now);
  installation = await install({ users: 30, reports });
  directory = await mkdtemp(join(tmpdir(), 'usage-etl-report-'));
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
  await load('backfill --to 2026-03-10', { APP_BASE_URL: installation.simulator.url });
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
  await load(`people import ${join(directory, 'people.csv')}`);
  await load(`prices import ${join(directory, 'prices.csv')}`);
  page = await report('--from 2026-02-16 --to 2026-03-10');
}, 300_000);

afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function load(commandLine: string, environment: Readonly<Record<string, string>> = {}): Promise<void> {
  const { code, stderr } = await installation.run(commandLine, environment);
  expect(code, stderr).toBe(0);
}

/** The page that a command line makes. */
async function report(options: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const file = join(directory, 'page.html');
  await load(`report ${options} --out ${file}`, environment);
  return await readFile(file, 'utf8');
}

/** Rows as the page has them: the first columns of the answer are the key, all others figures. */
async function asked(keys: number, select: string) {
  const client = await installation.database.pool.connect();
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

describe('the page has the figures of the views, to the last digit:', () => {
  const top = (view: string, name: string, count: string) => `
    select ${name}, sum(${count}) as count,
      round(sum(${count}) / (select sum(${count}) from bi.${view} where usage_date ${range}), 6) as share
    from bi.${view} where usage_date ${range} group by 1 order by 2 desc, 1 limit 10`;
  const tables: readonly [table: string, keys: number, select: string][] = [
    [
      'models',
      2,
      `select model_id, model_tier, sum(credits) as credits,
        round(sum(credits) / (select sum(credits) from bi.credits_by_model where usage_date ${range}), 6) as share
      from bi.credits_by_model where usage_date ${range} group by 1, 2 order by 3 desc`,
    ],
    [
      'months',
      1,
      `select month_start, active_users, new_users, returning_users, stopped_users, credits, run_rate_credits,
        sessions, tool_calls, git_commits, git_prs_created
      from bi.monthly_overview where month_start between '2026-02-01' and '2026-03-01' order by 1`,
    ],
    [
      'comings',
      1,
      `select week_start, active_users, new_users, returning_users, stopped_users
      from bi.weekly_overview where week_start between '2026-02-16' and '2026-03-09' order by 1`,
    ],
    [
      'active_users',
      1,
      `select usage_date, daily_active_users, weekly_active_users, monthly_active_users, stickiness
      from bi.daily_overview where usage_date ${range} order by 1`,
    ],
    [
      'clients',
      1,
      `select client_type, max(daily_active_users) as users_on_the_busiest_day
      from bi.adoption_by_client where usage_date ${range} group by 1 order by 2 desc, 1`,
    ],
    [
      'autonomy',
      1,
      `select autonomy_level, round((sum(share * tool_calls) / sum(tool_calls))::numeric, 6) as share_of_tool_calls
      from bi.autonomy_levels join bi.daily_overview using (org_id, usage_date)
      where usage_date ${range} group by 1, autonomy_rank order by autonomy_rank desc`,
    ],
    [
      'teams',
      1,
      `select team, max(active_users) as busiest_day, sum(credits) as credits, sum(cost) as cost,
        sum(unpriced_credits) as unpriced_credits
      from bi.credits_by_team where usage_date ${range} group by 1 order by sum(credits) desc nulls last, 1`,
    ],
    ['top_tools', 1, top('tool_usage', 'tool_name', 'invocations')],
    ['top_languages', 1, top('productivity_by_language', 'language', 'file_operations')],
    [
      'repositories',
      1,
      `select repo_url, round(score::numeric, 6) as score, round(score_change::numeric, 6) as score_change
      from bi.readiness_by_repository order by score desc, 1`,
    ],
    [
      'criteria',
      1,
      `select criterion_id, passing, repositories, round(passing_share::numeric, 6) as passing_share
      from bi.readiness_by_criterion order by passing_share, 1`,
    ],
    [
      'endpoints',
      1,
      `select endpoint, 0 as days_missing, coalesce(rows_rejected, 0) as rows_rejected
      from bi.data_freshness order by 1`,
    ],
  ];
  /** Columns whose titles are for people; the answer names them in order. */
  test.each(tables)('%s', async (table, keys, select) => {
    const answer = await asked(keys, select);
    expect(answer.length).toBeGreaterThan(0);
    // An address is hidden, in a name, too.
    const hidden = JSON.stringify(answer).replaceAll(anybody, '[redacted]');
    const named = (rows: readonly { key: unknown; figures: Readonly<Record<string, string | null>> }[]) =>
      rows.map(({ key, figures }) => ({ key, figures: Object.entries(figures).sort() }));
    expect(named(rowsOf(page, table))).toEqual(named(JSON.parse(hidden)));
  });

  test('sessions by weekday', async () => {
    const days = await asked(
      2,
      `select week_start, day_of_week, sessions from bi.daily_overview
      join bi.calendar on date_day = usage_date where usage_date ${range} order by 1, 2`,
    );
    const shown = rowsOf(page, 'weekdays').flatMap(({ key, figures }) =>
      Object.entries(figures).flatMap(([weekday, sessions]) =>
        sessions === null ? [] : [{ key: [...key, weekday], figures: { sessions } }],
      ),
    );
    expect(shown).toEqual(days.filter(({ figures }) => figures.sessions !== null));
  });

  test('the head, and its change against as many days before', async () => {
    const totals = (days: string) => `
      select '' as nothing, sum(credits) as credits, sum(sessions) as sessions, sum(tool_calls) as tool_calls,
        sum(files_created + files_edited) as files_changed, sum(git_commits) as git_commits,
        sum(git_prs_created) as git_prs_created,
        (select sum(cost) from bi.credits_by_team where usage_date ${days}) as cost,
        (select count(distinct user_id) from bi.user_activity where is_active and usage_date ${days}) as active_users
      from bi.daily_overview where usage_date ${days}`;
    const [[now], [then]] = [await asked(1, totals(range)), await asked(1, totals(before))];
    const heads = headsOf(page);
    expect(Object.fromEntries(Object.entries(heads).map(([name, head]) => [name, head.exact]))).toEqual(
      now?.figures,
    );
    for (const [name, { change }] of Object.entries(heads)) {
      const [value, base] = [Number(now?.figures[name]), Number(then?.figures[name])];
      const percent = Math.abs((100 * (value - base)) / base);
      const number = percent.toFixed(percent < 10 ? 1 : 0);
      const words = value > base ? 'more than before' : 'less than before';
      expect(change, name).toBe(
        base === 0
          ? ''
          : value === base
            ? '= as much as before'
            : `${value > base ? '▲' : '▼'} ${number} % ${words}`,
      );
    }
  });
});

test('no change is shown against days that are not held whole', async () => {
  const early = await report('--from 2026-01-20 --to 2026-02-10');
  expect(Object.values(headsOf(early)).map(({ change }) => change)).toEqual(Array(8).fill(''));
  expect(textOf(early)).toContain('No changes are shown: 16 of the 22 days before have missing data.');
});

test('models whose names differ only in what is hidden are one, in every table', async () => {
  const single = await report('--from 2026-01-20 --to 2026-01-20');
  expect(rowsOf(single, 'models')).toEqual([
    { key: [markup, '…'], figures: { credits: '2469.1356', share: '1' } },
  ]);
  expect(Object.values(rowsOf(single, 'credits_by_period')[0]?.figures ?? {})).toEqual(['2469.1356']);
});

test('days that are missing are told, and make no figure 0', async () => {
  const late = await report('--from 2026-03-06 --to 2026-03-14');
  expect(textOf(late)).toContain('4 of 9 days of this page have missing data');
  const days = rowsOf(late, 'active_users');
  expect(days).toHaveLength(9);
  expect(days.at(-1)?.figures).toEqual({
    daily_active_users: null,
    weekly_active_users: null,
    monthly_active_users: null,
    stickiness: null,
  });
});

test('what others named is text, and nothing else', () => {
  expect(page.match(/<(?:script|img|iframe|object|embed|link|form|base)\b/gi)).toBeNull();
  expect(page.match(/<\w+(?:\s+[\w-]+="[^"]*")*\s+on\w+/gi)).toBeNull();
  expect(rowsOf(page, 'top_tools')[0]?.key).toEqual([markup]);
  expect(textOf(page).includes(markup)).toBe(true);
  // Somebody made a name of a hundred thousand characters.
  expect(page.length).toBeLessThan(1_000_000);
});

test('the page may load nothing, and only its own style sheet applies', () => {
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
  const digest = createHash('sha256').update(style).digest('base64');
  expect(page.split('\n').find((line) => line.includes('Content-Security-Policy'))).toBe(
    `<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-${digest}&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;">`,
  );
  expect(page.match(/<[^>]*\s(?:src|srcset|style)="|\shref="(?!#)/g)).toBeNull();
  expect(page.match(/url\((?!#)/g)).toBeNull();
});

test('persons are named only where that is asked for, and allowed', async () => {
  const { rows } = await installation.database.pool.query(
    'select user_id, user_email from warehouse.dim_user where user_email is not null',
  );
  expect(rows.length).toBeGreaterThan(5);
  expect(page.match(/[\w.*]@[\w.]/g)).toBeNull();
  for (const { user_id, user_email } of rows) {
    expect(page.includes(user_id), user_id).toBe(false);
    expect(page.includes(user_email), user_email).toBe(false);
  }
  const named = await report('--from 2026-02-16 --to 2026-03-10 --with-people');
  const [first] = await asked(
    1,
    `select user_id, sum(credits) as credits from bi.credits_by_user
    where usage_date ${range} group by 1 order by 2 desc, 1 limit 1`,
  );
  expect(rowsOf(named, 'people')[0]).toMatchObject({ key: first?.key, figures: first?.figures });
  const email = rows.find(({ user_id }) => user_id === first?.key[0])?.user_email;
  expect(textOf(named)).toContain(email ?? first?.key[0]);
  // An address in a name that is no person's stays hidden.
  expect(named.includes(anybody)).toBe(false);
});

test('who may not know persons gets no page that names them', async () => {
  const { pool, url } = installation.database;
  const role = `reader_${Date.now()}`;
  await pool.query(`create role ${role} login password 'secret'`);
  for (const schema of ['warehouse', 'etl', 'bi'])
    await pool.query(
      `grant usage on schema ${schema} to ${role}; grant select on all tables in schema ${schema} to ${role}`,
    );
  const asReader = new URL(url);
  [asReader.username, asReader.password] = [role, 'secret'];
  const environment = { DATABASE_URL: asReader.href };
  try {
    const file = join(directory, 'people.html');
    const { code, stderr } = await installation.run(`report --with-people --out ${file}`, environment);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('usage_people_reader'),
    });
    expect(existsSync(file)).toBe(false);
    expect(rowsOf(await report('--from 2026-02-16 --to 2026-03-10', environment), 'models')).toEqual(
      rowsOf(page, 'models'),
    );
  } finally {
    await pool.query(`drop owned by ${role}; drop role ${role}`);
  }
});

test('a range without data makes a page that says so', async () => {
  const file = join(directory, 'empty.html');
  const { code, stdout } = await installation.run(
    `report --from 2026-04-01 --to 2026-04-30 --out ${file} --json`,
  );
  expect({ code, json: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    json: { from: '2026-04-01', to: '2026-04-30', organizations: [{ organization, has_data: false }] },
  });
  const empty = await readFile(file, 'utf8');
  expect(textOf(empty)).toContain('No data for these days. Loaded: 14 Jan – 10 Mar 2026.');
  expect(headsOf(empty)).toEqual({});
});

test('a warehouse without an organization makes one, too', async () => {
  await using other = await install();
  const file = join(directory, 'nothing.html');
  const { code, stderr } = await other.run(`report --out ${file}`);
  expect(code, stderr).toBe(0);
  expect(textOf(await readFile(file, 'utf8'))).toContain('No data: the warehouse holds no organization yet.');
});

test.each([
  ['--from 2026-03-02 --to 2026-03-01', '--from: 2026-03-02 is after --to 2026-03-01'],
  ['--from 2026-02-30', '--from: expected a day as YYYY-MM-DD'],
  ['--from 2025-12-31', '--from: the platform has no data before 2026-01-14'],
  ['--to 2999-01-01', '--to: the last possible day is yesterday in UTC'],
  ['--to soon', '--to: expected a day as YYYY-MM-DD'],
])('report %s ends with 2 and writes no file', async (options, sentence) => {
  const file = join(directory, 'never.html');
  const { code, stderr } = await installation.run(`report ${options} --out ${file}`);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
  expect(existsSync(file)).toBe(false);
});

test('a place that cannot be written to is named', async () => {
  const { code, stderr } = await installation.run(`report --out ${join(directory, 'none', 'page.html')}`);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/--out: .*ENOENT/) });
});

test('a pipe that nobody reads is named, not waited for; one that is read gets the whole page', async () => {
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const { code, stderr } = await installation.run(`report --out ${pipe}`);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/--out: .*ENXIO/) });
  const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [read] = await Promise.all([
    text(reader.stdout),
    // Opened for reading and writing, a pipe waits for nobody: its reader is there.
    open(pipe, 'r+').then(async (held) => {
      await load(`report --from 2026-02-16 --to 2026-03-10 --out ${pipe}`);
      await held.close();
    }),
  ]);
  expect(read.endsWith('</html>\n')).toBe(true);
});

test('without options it is about the last days, in report.html of the folder where it is asked for', async () => {
  const { code, stdout } = await installation.runIn(directory, 'report --json');
  const to = yesterday(Date.now);
  const shape = z.object({ from: z.string(), to: z.string(), out: z.string(), with_people: z.boolean() });
  expect({ code, json: shape.parse(JSON.parse(stdout)) }).toEqual({
    code: 0,
    json: { from: addDays(to, -90), to, out: 'report.html', with_people: false },
  });
  expect(existsSync(join(directory, 'report.html'))).toBe(true);
});
