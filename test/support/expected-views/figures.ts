/** The data from which tests compute what the views must show, and functions that compute figures. */
import { decimalSum, normalDecimal } from '../decimal.ts';
import type { Row, Warehouse } from '../expected-warehouse.ts';

/** A period of a person in a team; `valid_to` is the last day, null for a period without an end. */
export interface Assignment {
  readonly user_id: string | null;
  readonly user_email: string | null;
  readonly team: string;
  readonly department: string | null;
  readonly cost_center: string | null;
  readonly valid_from: string;
  readonly valid_to: string | null;
}

/** The price of a model and tier; the tier `*` means all tiers of the model. */
export interface Price {
  readonly model_id: string;
  readonly model_tier: string;
  readonly price_per_million_credits: number;
  readonly currency: string;
  readonly valid_from: string;
}

/** An organization as it was loaded. */
export interface Organization {
  readonly org_id: string;
  readonly star: Warehouse;
  /** Held days, by endpoint. */
  readonly held: ReadonlyMap<string, ReadonlySet<string>>;
  readonly emails: Readonly<Record<string, string | null>>;
  readonly assignments: readonly Assignment[];
}

/** Everything from which the views compute their rows. */
export interface World {
  readonly organizations: readonly Organization[];
  readonly prices: readonly Price[];
  readonly yesterday: string;
}

export type Value = string | null;
export const dailyEndpoints = ['tokens', 'tools', 'activity', 'productivity', 'users'] as const;

/** A floating-point number as text, rounded to ten digits: only these are compared. */
export function approximate(value: number): string {
  return `~${Number(value.toPrecision(10))}`;
}

/** `part` divided by `whole`; null when one of them is null or `whole` is 0. */
export function ratio(part: Value | undefined, whole: Value | undefined): Value {
  if (part == null || whole == null || Number(whole) === 0) return null;
  return approximate(Number(part) / Number(whole));
}

/** The exact sum of the values that are not null; null if there are none. */
export function sum(values: readonly (Value | undefined)[]): Value {
  const present = values.filter((value) => value != null);
  return present.length === 0 ? null : present.reduce((total, value) => decimalSum(total, value), '0');
}

export const negative = (value: string): string =>
  normalDecimal(value.startsWith('-') ? value.slice(1) : `-${value}`);

/** The mean of the values that are not null. */
export function mean(values: readonly (Value | undefined)[]): Value {
  return ratio(sum(values), String(values.filter((value) => value != null).length));
}

/** Items by the result of `key`. */
export function groups<Item>(items: Iterable<Item>, key: (item: Item) => string): Map<string, Item[]> {
  return Map.groupBy(items, key);
}

const msOfDay = 86_400_000;

export function shift(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * msOfDay).toISOString().slice(0, 10);
}

/** Every day from one to another, both included. */
export function days(from: string, to: string): string[] {
  const found: string[] = [];
  for (let day = from; day <= to; day = shift(day, 1)) found.push(day);
  return found;
}

export const weekOf = (day: string) => shift(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));
export const monthOf = (day: string) => `${day.slice(0, 7)}-01`;

/** The expected rows of a fact or bridge table. */
export function table(organization: Organization, name: string): readonly Row[] {
  return organization.star[name] ?? [];
}

const counts = [
  'tool_calls',
  'billable_tokens',
  'files_created',
  'files_edited',
  'git_commits',
  'git_prs_created',
  'mcp_calls',
  'skill_calls',
  'slash_commands',
  'hooks',
  'sessions',
  'messages',
  'user_messages',
  'assistant_messages',
];

export function isActive(row: Row): boolean {
  return counts.some((name) => Number(row[name] ?? 0) > 0);
}

/** The active days of each user who has any, in ascending order. */
export function activeDays(organization: Organization): Map<string, string[]> {
  const byUser = groups(table(organization, 'fact_user_daily').filter(isActive), (row) => row.user_id ?? '');
  return new Map([...byUser].map(([user, rows]) => [user, rows.map((row) => row.usage_date ?? '').sort()]));
}

/** The masked e-mail of a user: its first character (unless it is the only one) and its domain. The id without an e-mail. */
export function label(organization: Organization, userId: Value | undefined): Value {
  const email = organization.emails[userId ?? ''] ?? null;
  const at = email?.lastIndexOf('@') ?? -1;
  if (email === null || at === -1 || at === email.length - 1) return userId ?? null;
  const first = [...email.slice(0, at)].length > 1 ? [...email][0] : '';
  return `${first}***@${email.slice(at + 1)}`;
}

/** Every day that is held for any endpoint, in ascending order. */
export function heldDays(organization: Organization): string[] {
  return [...new Set([...organization.held.values()].flatMap((held) => [...held]))].sort();
}
