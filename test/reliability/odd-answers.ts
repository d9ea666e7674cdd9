/** Ways to say other things of a day than what is true of it. Every answer is well-formed: nothing but its content is wrong. */
import { fieldsOf, itemsOf } from '../support/exact-json.ts';

/** A payload row. */
export type Row = Readonly<Record<string, unknown>>;

/** What an answer makes of the rows that are true of an endpoint and day. */
export const contents = {
  /** Nothing; of yesterday: not counted yet. */
  empty: () => [],
  'a fifth of it': (rows, endpoint) => shortened(rows, endpoint, 1 / 5),
  'most of it': (rows, endpoint) => shortened(rows, endpoint, 0.8),
  /** Models, tools and what else has a name have another one. */
  'other names': (rows) => rows.map((row) => changed(row, renamed)),
  /** Each row of a user is that of another one. */
  'other users': (rows) =>
    rows.map((row) => changed(row, (name, value) => (name === 'user_id' ? `${String(value)}_moved` : value))),
  'other figures': (rows) =>
    rows.map((row) => changed(row, (_name, value) => (typeof value === 'number' ? 2 * value + 1 : value))),
  /** `/activity` says that nobody was active, and the others agree. */
  nobody: (rows, endpoint) => (endpoint === 'activity' ? rows.map(withoutActivity) : []),
} as const satisfies Record<string, (rows: readonly Row[], endpoint: string) => readonly Row[]>;

/** The name of one of `contents`. */
export type Content = keyof typeof contents;

/** Rows as far as zod, or a generator's types, must not be asked about them. */
export function rowsOf(rows: readonly unknown[]): Row[] {
  return rows.map(fieldsOf);
}

/** The first rows of `/users`; of others the first entries of each breakdown. */
function shortened(rows: readonly Row[], endpoint: string, share: number): readonly Row[] {
  const first = <Item>(items: readonly Item[]) => items.slice(0, Math.floor(items.length * share));
  if (endpoint === 'users') return first(rows);
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        Array.isArray(value) ? first(itemsOf(value)) : value,
      ]),
    ),
  );
}

/** A value with each of its fields, at any depth, as `change` would have it. */
function changed(row: Row, change: (name: string, value: unknown) => unknown): Row {
  const within = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return itemsOf(value).map((item) => within(name, item));
    if (typeof value === 'object' && value !== null) return changed(fieldsOf(value), change);
    return change(name, value);
  };
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, within(name, value)]));
}

const named = new Set([
  'model_id',
  'primary_model',
  'tool',
  'server',
  'name',
  'command',
  'extension',
  'language',
  'languages',
]);

function renamed(name: string, value: unknown): unknown {
  return named.has(name) && typeof value === 'string' ? `${value}-next` : value;
}

function withoutActivity(row: Row): Row {
  return {
    ...row,
    daily_active_users: 0,
    daily_active_users_by_client: {},
    sessions: 0,
    messages: 0,
    user_messages: 0,
  };
}
