/** Loads three organizations with days, teams and prices into a warehouse, and returns the same data for expected rows. */
import { expect } from 'vitest';
import { day } from '../../../src/model/day.ts';
import { generatedDataset, OverridableDataset } from '../../../src/simulator/dataset.ts';
import { createGenerator } from '../../../src/simulator/generate.ts';
import { startSimulator } from '../../../src/simulator/server.ts';
import { fieldsOf, itemsOf } from '../exact-json.ts';
import { expectedEmails, expectedWarehouse } from '../expected-warehouse.ts';
import { type Installation, servedRows } from '../installation.ts';
import { changeRows } from '../quirky-payloads.ts';
import {
  type Assignment,
  dailyEndpoints,
  days,
  type Organization,
  type Price,
  shift,
  type World,
} from './figures.ts';

/** The last day that the platform serves. */
export const yesterday = shift(new Date().toISOString().slice(0, 10), -1);
const ago = (count: number) => shift(yesterday, -count);
const everyEndpoint = dailyEndpoints.join(',');

interface Loading {
  readonly id: string;
  readonly seed: number;
  /** Ranges of days that are loaded one after the other. */
  readonly ranges: readonly { readonly from: string; readonly to: string; readonly endpoints: string }[];
}

/** The organizations: one is up to date, with gaps; one ended long ago; of one only little is loaded. */
const loadings: readonly Loading[] = [
  {
    id: 'org_current',
    seed: 7,
    ranges: [
      { from: ago(130), to: ago(60), endpoints: everyEndpoint },
      { from: ago(56), to: ago(9), endpoints: everyEndpoint },
      { from: ago(8), to: yesterday, endpoints: 'tokens,tools,activity,productivity' },
      { from: ago(5), to: yesterday, endpoints: 'users' },
    ],
  },
  {
    id: 'org_former',
    seed: 8,
    ranges: [
      { from: '2026-01-14', to: '2026-04-07', endpoints: everyEndpoint },
      { from: '2026-04-08', to: '2026-04-12', endpoints: 'tokens' },
    ],
  },
  { id: 'org_partial', seed: 9, ranges: [{ from: ago(20), to: ago(3), endpoints: 'tokens,activity' }] },
];

/** Loads everything into the warehouse of an installation. */
export async function loadWorld(installation: Installation): Promise<World> {
  const organizations: Organization[] = [];
  for (const loading of loadings) organizations.push(await load(installation, loading));
  return { organizations, prices: await addPrices(installation), yesterday };
}

async function load(installation: Installation, { id, seed, ranges }: Loading): Promise<Organization> {
  const generator = createGenerator({ seed, users: 14, from: day('2026-01-14') });
  const dataset = new OverridableDataset(generatedDataset(generator));
  const simulator = await startSimulator({ dataset, organizationId: id, apiKeys: { key: 'owner' } });
  const run = async (commandLine: string) => {
    const { code, stderr } = await installation.run(commandLine, {
      API_BASE_URL: simulator.url,
      API_KEY: 'key',
    });
    expect(code, stderr).toBe(0);
  };
  const held = new Map<string, Set<string>>();
  addOddities(dataset, ranges[0]?.from ?? '');
  for (const { from, to, endpoints } of ranges) {
    await run(`backfill --from ${from} --to ${to} --endpoints ${endpoints}`);
    for (const endpoint of endpoints.split(','))
      held.set(endpoint, new Set([...(held.get(endpoint) ?? []), ...days(from, to)]));
  }
  const restated = shift(ranges[0]?.from ?? '', 3);
  restate(dataset, restated);
  await run(`backfill --from ${restated} --to ${restated} --endpoints ${ranges[0]?.endpoints} --force`);
  await simulator.close();
  const payloads = [...held].flatMap(([endpoint, its]) =>
    [...its].map((each) => ({ endpoint, day: each, rows: servedRows(dataset, endpoint, day(each)) })),
  );
  const emails = expectedEmails(payloads);
  const star = expectedWarehouse(id, payloads);
  return { org_id: id, star, held, emails, assignments: await addTeams(installation, id, emails) };
}

/** Adds unusual days: without users, with idle users, with users without an e-mail, with credits that belong to no user. */
function addOddities(dataset: OverridableDataset, first: string): void {
  const nobody = shift(first, 10);
  dataset.overrideRows('users', day(nobody), []);
  changeRows(dataset, 'activity', nobody, (row) => ({
    ...row,
    daily_active_users: 0,
    sessions: 0,
    messages: 0,
  }));
  for (const idle of days(shift(first, 15), shift(first, 40)))
    changeRows(dataset, 'users', idle, (row, index) => (index === 0 ? idleRow(row) : row));
  changeRows(dataset, 'users', shift(first, 12), (row) => ({ ...row, primary_model: null, sessions: null }));
  for (const each of days(first, shift(first, 130)))
    for (const endpoint of ['tokens', 'users'])
      changeRows(dataset, endpoint, each, (row) => withoutSomeEmails(row));
  changeRows(dataset, 'tokens', shift(first, 5), (row) => ({
    ...row,
    by_user: itemsOf(row.by_user).slice(1),
    cache_read_tokens: null,
  }));
  changeRows(dataset, 'tools', shift(first, 6), (row) => ({ ...row, tool_calls: 0, web_users: null }));
}

function idleRow(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? 0 : value]),
  );
}

/** Removes the e-mail of users whose id ends with an even digit. Some others get one with one letter before the @. */
function withoutSomeEmails(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const changed = (user: Readonly<Record<string, unknown>>) => {
    const last = String(user.user_id).at(-1) ?? '';
    if (!('user_email' in user)) return user;
    if ('02468ace'.includes(last)) return { ...user, user_email: null };
    return '13'.includes(last) ? { ...user, user_email: 'x@one.example.com' } : user;
  };
  if (!('by_user' in row)) return changed(row);
  return { ...row, by_user: itemsOf(row.by_user).map((user) => changed(fieldsOf(user))) };
}

function restate(dataset: OverridableDataset, of: string): void {
  changeRows(dataset, 'users', of, (row, index) =>
    index === 0 ? undefined : { ...row, sessions: 77, git_commits: 0 },
  );
  changeRows(dataset, 'tokens', of, (row) => ({ ...row, billable_tokens: 123456.789, input_tokens: 0 }));
}

async function addTeams(
  installation: Installation,
  orgId: string,
  emails: Organization['emails'],
): Promise<Assignment[]> {
  const [one = '', two = '', three = ''] = Object.keys(emails).sort();
  const mailed =
    Object.values(emails).find((email) => email !== null && !email.startsWith('x@')) ?? 'none@example.com';
  const assignment = (
    user: Partial<Assignment>,
    team: string,
    from: string,
    to: string | null,
  ): Assignment => ({
    user_id: null,
    user_email: null,
    department: team === 'Blue' ? null : `${team} department`,
    cost_center: 'C1',
    ...user,
    team,
    valid_from: from,
    valid_to: to,
  });
  const all = [
    assignment({ user_id: one }, 'Blue', '2026-01-01', ago(90)),
    assignment({ user_id: one }, 'Red', ago(80), null),
    assignment({ user_id: two }, 'Red', '2026-02-10', '2026-03-02'),
    assignment({ user_id: two, department: 'Another' }, 'Red', '2026-03-03', null),
    assignment({ user_id: three }, 'Blue', shift(yesterday, 5), null),
    assignment({ user_email: mailed.toUpperCase() }, 'Green', '2026-01-20', null),
    assignment({ user_id: 'nobody knows them' }, 'Blue', '2026-01-01', null),
  ];
  for (const each of all)
    await installation.database.pool.query(
      `insert into warehouse.person_assignment
      select org_key, $2, $3, $4, $5, $6, $7, $8 from warehouse.dim_org where org_id = $1`,
      [
        orgId,
        each.user_id,
        each.user_email,
        each.team,
        each.department,
        each.cost_center,
        each.valid_from,
        each.valid_to,
      ],
    );
  return all;
}

async function addPrices(installation: Installation): Promise<Price[]> {
  const { pool } = installation.database;
  const { rows } = await pool.query<{ model_id: string; model_tier: string }>(
    'select distinct on (model_id) model_id, model_tier from warehouse.dim_model order by model_id, model_tier',
  );
  const [one, two] = rows;
  if (one === undefined || two === undefined) throw new RangeError('expected two models');
  const price = (model_id: string, model_tier: string, per_million: number, valid_from: string): Price => ({
    model_id,
    model_tier,
    price_per_million_credits: per_million,
    currency: 'EUR',
    valid_from,
  });
  const prices = [
    price(one.model_id, one.model_tier, 2.5, '2026-01-20'),
    price(one.model_id, '*', 10, ago(100)),
    price(two.model_id, '*', 4, '2026-01-01'),
    price(two.model_id, '*', 0, ago(40)),
  ];
  for (const each of prices)
    await pool.query('insert into warehouse.credit_price values ($1, $2, $3, $4, $5)', Object.values(each));
  return prices;
}
