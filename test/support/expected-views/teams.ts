/** What the views by team must show. */

import { decimalSum } from '../decimal.ts';
import type { Row } from '../expected-warehouse.ts';
import {
  type Assignment,
  approximate,
  groups,
  isActive,
  monthOf,
  negative,
  type Organization,
  type Price,
  ratio,
  sum,
  table,
  type Value,
  type World,
} from './figures.ts';

/** The team of a user on a day: that of the user's id, else that of the e-mail, in upper or lower case. */
export function teamOn(organization: Organization, userId: string, day: string): Assignment | undefined {
  const byId = organization.assignments.filter(({ user_id }) => user_id === userId);
  const email = organization.emails[userId]?.toLowerCase();
  const byEmail = organization.assignments.filter(
    ({ user_id, user_email }) =>
      user_id === null && email !== undefined && user_email?.toLowerCase() === email,
  );
  return (byId.length > 0 ? byId : byEmail).find(
    ({ valid_from, valid_to }) => valid_from <= day && (valid_to === null || day <= valid_to),
  );
}

function priceOf(prices: readonly Price[], modelId: string, tier: string, day: string): Price | undefined {
  const of = (wanted: string) =>
    prices
      .filter((each) => each.model_id === modelId && each.model_tier === wanted && each.valid_from <= day)
      .sort((a, b) => (a.valid_from < b.valid_from ? 1 : -1))[0];
  return of(tier) ?? of('*');
}

interface Part {
  readonly usage_date: string;
  readonly team: string;
  readonly department: Value;
  readonly cost_center: Value;
  readonly model_id: string;
  readonly model_tier: string;
  readonly credits: Value;
}

/** Credits of users with their team, and credits that belong to no user. */
function parts(organization: Organization): Part[] {
  const ofUsers = table(organization, 'fact_token_user_model_daily').map((row): Part => {
    const team = teamOn(organization, row.user_id ?? '', row.usage_date ?? '');
    return {
      ...modelOf(row),
      team: team?.team ?? 'unassigned',
      department: team?.department ?? null,
      cost_center: team?.cost_center ?? null,
      credits: row.billable_tokens ?? null,
    };
  });
  const key = (row: { usage_date: string; model_id: string; model_tier: string }) =>
    JSON.stringify([row.usage_date, row.model_id, row.model_tier]);
  const models = groups(
    table(organization, 'fact_token_model_daily').map((row) => ({
      ...modelOf(row),
      credits: row.billable_tokens ?? null,
    })),
    key,
  );
  const byModel = groups(ofUsers, key);
  const remainders = [...new Set([...models.keys(), ...byModel.keys()])].flatMap((each): Part[] => {
    const [of] = [...(models.get(each) ?? []), ...(byModel.get(each) ?? [])];
    const users = sum((byModel.get(each) ?? []).map(({ credits }) => credits)) ?? '0';
    const rest = decimalSum(
      sum((models.get(each) ?? []).map(({ credits }) => credits)) ?? '0',
      negative(users),
    );
    if (of === undefined || Number(rest) === 0) return [];
    const { usage_date, model_id, model_tier } = of;
    return [
      {
        usage_date,
        model_id,
        model_tier,
        team: 'unattributed',
        department: null,
        cost_center: null,
        credits: rest,
      },
    ];
  });
  return [...ofUsers, ...remainders];
}

function modelOf(row: Row) {
  return {
    usage_date: row.usage_date ?? '',
    model_id: row.model_id ?? '',
    model_tier: row.model_tier ?? '',
  };
}

function costs(rows: readonly Part[], { prices }: World) {
  const priced = rows.map((row) => ({
    row,
    price: priceOf(prices, row.model_id, row.model_tier, row.usage_date),
  }));
  const known = priced.filter(({ price }) => price !== undefined);
  const cost = known
    .filter(({ row }) => row.credits !== null)
    .map(({ row, price }) => (Number(row.credits) * (price?.price_per_million_credits ?? 0)) / 1e6);
  return {
    credits: sum(rows.map(({ credits }) => credits)),
    cost: cost.length === 0 ? null : approximate(cost.reduce((total, each) => total + each, 0)),
    currency: known[0]?.price?.currency ?? null,
    unpriced_credits: sum(
      priced.map(({ row, price }) => (price === undefined || row.credits === null ? row.credits : '0')),
    ),
  };
}

/** Active users of each team, by period; `periodOf` returns the period of a day. */
function usersByTeam(organization: Organization, periodOf: (day: string) => string) {
  const rows = table(organization, 'fact_user_daily').map((row) => ({
    row,
    period: periodOf(row.usage_date ?? ''),
    team: teamOn(organization, row.user_id ?? '', row.usage_date ?? '')?.team ?? 'unassigned',
  }));
  return groups(rows, ({ period, team }) => JSON.stringify([period, team]));
}

const distinctActive = (rows: readonly { row: Row }[]) =>
  new Set(rows.filter(({ row }) => isActive(row)).map(({ row }) => row.user_id)).size;

export function creditsByTeam(organization: Organization, world: World): Row[] {
  const credits = groups(parts(organization), (part) => JSON.stringify([part.usage_date, part.team]));
  const users = usersByTeam(organization, (day) => day);
  const active = [...users].filter(([, rows]) => distinctActive(rows) > 0).map(([key]) => key);
  return [...new Set([...credits.keys(), ...active])].map((key) => {
    const [usage_date = '', team = ''] = JSON.parse(key);
    return {
      org_id: organization.org_id,
      usage_date,
      team,
      active_users: String(distinctActive(users.get(key) ?? [])),
      ...costs(credits.get(key) ?? [], world),
    };
  });
}

export function teamOverview(organization: Organization): Row[] {
  const credits = groups(parts(organization), (part) =>
    JSON.stringify([monthOf(part.usage_date), part.team]),
  );
  const users = usersByTeam(organization, monthOf);
  return [...new Set([...credits.keys(), ...users.keys()])].map((key) => {
    const [month_start = '', team = ''] = JSON.parse(key);
    const rows = users.get(key) ?? [];
    const active = String(distinctActive(rows));
    const total = sum((credits.get(key) ?? []).map((part) => part.credits));
    const of = (name: string) => sum(rows.map(({ row }) => row[name]));
    return {
      org_id: organization.org_id,
      month_start,
      team,
      active_users: active,
      credits: total,
      sessions: of('sessions'),
      git_commits: of('git_commits'),
      git_prs_created: of('git_prs_created'),
      credits_per_active_user: ratio(total, active),
    };
  });
}

export function costByMonth(organization: Organization, world: World): Row[] {
  const keys = ['team', 'department', 'cost_center', 'model_id', 'model_tier'] as const;
  const byKey = groups(parts(organization), (part) =>
    JSON.stringify([monthOf(part.usage_date), ...keys.map((key) => part[key])]),
  );
  return [...byKey].map(([key, rows]) => {
    const [month_start, ...values] = JSON.parse(key);
    return {
      org_id: organization.org_id,
      month_start,
      ...Object.fromEntries(keys.map((name, index) => [name, values[index] ?? null])),
      ...costs(rows, world),
    };
  });
}
