/**
 * Which parts of a record can be loaded. Written from platform-api.md §2.5, without code of the program, whose schemas
 * must come to the same result.
 */
import { normalDecimal } from '../support/decimal.ts';
import { WrittenNumber } from '../support/exact-json.ts';

type Kind = 'name' | 'text' | 'count' | 'amount';

interface Shape {
  readonly fields: Readonly<Record<string, Kind>>;
  /** Breakdowns that are lists of objects. */
  readonly lists?: Readonly<Record<string, Shape>>;
  /** Breakdowns that are maps, by the kind of their values; or lists of text. */
  readonly maps?: Readonly<Record<string, Kind>>;
  readonly texts?: readonly string[];
}

const fields = (kind: Kind, ...names: readonly string[]): Record<string, Kind> =>
  Object.fromEntries(names.map((name) => [name, kind]));

const model: Shape = {
  fields: {
    ...fields('name', 'model_id'),
    ...fields('text', 'model_tier'),
    ...fields('amount', 'billable_tokens'),
    ...fields('count', 'input_tokens', 'output_tokens'),
  },
};
const counted = (name: string, count: string): Shape => ({
  fields: { ...fields('name', name), ...fields('count', count) },
});

/** What can be loaded, by endpoint. */
export const shapes: Readonly<Record<string, Shape>> = {
  tokens: {
    fields: {
      ...fields('name', 'date'),
      ...fields('amount', 'billable_tokens'),
      ...fields('count', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'),
    },
    lists: {
      by_model: model,
      by_user: {
        fields: {
          ...fields('name', 'user_id'),
          ...fields('text', 'user_email'),
          ...fields('amount', 'billable_tokens'),
        },
        lists: { by_model: model },
      },
    },
  },
  tools: {
    fields: {
      ...fields('name', 'date'),
      ...fields('count', 'tool_calls', 'mcp_users_with_mcp', 'skills_invocations', 'web_users'),
      ...fields('count', 'slash_commands_invocations', 'hooks_invocations'),
      ...fields('amount', 'autonomy_ratio_avg', 'autonomy_ratio_p50', 'autonomy_ratio_p90'),
      ...fields('amount', 'tool_calls_per_session_avg', 'user_turns_per_session_avg'),
    },
    lists: {
      by_tool: counted('tool', 'invocations'),
      mcp_by_server: counted('server', 'invocations'),
      skills_by_name: counted('name', 'count'),
      slash_commands_by_name: counted('name', 'count'),
      hooks_by_event: {
        fields: { ...fields('text', 'event', 'matcher', 'command'), ...fields('count', 'count') },
      },
    },
    maps: { tool_autonomy_level_ratio: 'amount' },
  },
  activity: {
    fields: {
      ...fields('name', 'date'),
      ...fields('count', 'daily_active_users', 'weekly_active_users', 'monthly_active_users'),
      ...fields('count', 'sessions', 'messages', 'user_messages'),
    },
    maps: { daily_active_users_by_client: 'count' },
  },
  productivity: {
    fields: {
      ...fields('name', 'date'),
      ...fields('count', 'files_created', 'files_edited', 'git_commits', 'git_prs_created'),
    },
    lists: { by_extension: counted('extension', 'count'), by_language: counted('language', 'count') },
  },
  users: {
    fields: {
      ...fields('name', 'date', 'user_id'),
      ...fields('text', 'user_email', 'primary_model', 'primary_model_tier', 'delegation_level'),
      ...fields('amount', 'billable_tokens', 'autonomy_ratio'),
      ...fields('count', 'tool_calls', 'files_created', 'files_edited', 'git_commits', 'git_prs_created'),
      ...fields('count', 'mcp_calls', 'skill_calls', 'slash_commands', 'hooks', 'sessions', 'messages'),
      ...fields('count', 'user_messages', 'assistant_messages'),
    },
    texts: ['languages'],
  },
};

export interface Judgement {
  /** The row without the parts that cannot be loaded; undefined when nothing of it can. */
  readonly good: Readonly<Record<string, unknown>> | undefined;
  /** How many parts cannot be loaded. */
  readonly bad: number;
}

/** Judges a payload row, or an entry of a breakdown, as `exactJson` reads it. */
export function judge(value: unknown, shape: Shape): Judgement {
  if (!isPlainObject(value)) return { good: undefined, bad: 1 };
  const own = new Map(Object.entries(value));
  for (const [name, kind] of Object.entries(shape.fields))
    if (!isOfKind(own.get(name), kind)) return { good: undefined, bad: 1 };
  let bad = 0;
  const sift = (name: string, sifted: (breakdown: unknown) => unknown) => {
    const breakdown = own.get(name);
    if (breakdown === undefined || breakdown === null) return;
    const kept = sifted(breakdown);
    if (kept === undefined) {
      bad += 1;
      own.delete(name);
    } else own.set(name, kept);
  };
  for (const [name, entryShape] of Object.entries(shape.lists ?? {}))
    sift(name, (list) => {
      if (!Array.isArray(list)) return undefined;
      const judged = list.map((entry) => judge(entry, entryShape));
      bad += judged.reduce((sum, entry) => sum + entry.bad, 0);
      return judged.flatMap(({ good }) => good ?? []);
    });
  for (const [name, kind] of Object.entries(shape.maps ?? {}))
    sift(name, (map) => {
      if (!isPlainObject(map)) return undefined;
      const kept = Object.entries(map).filter(([, item]) => isOfKind(item, kind));
      bad += Object.keys(map).length - kept.length;
      return Object.fromEntries(kept);
    });
  for (const name of shape.texts ?? [])
    sift(name, (list) => {
      if (!Array.isArray(list)) return undefined;
      const kept = list.filter((item) => typeof item === 'string');
      bad += list.length - kept.length;
      return kept;
    });
  return { good: Object.fromEntries(own), bad };
}

function isPlainObject(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber)
  );
}

/** A `numeric` has at most 16,383 digits after the point, a `double precision` a range on both sides. */
function isStorable(text: string): boolean {
  const rounded = Number(text);
  return (
    text.length < 16_000 &&
    Number.isFinite(rounded) &&
    (rounded !== 0 || !/[1-9]/.test(text.split(/e/i)[0] ?? ''))
  );
}

const largestBigint = 9_223_372_036_854_775_807n;

function isOfKind(value: unknown, kind: Kind): boolean {
  if (kind === 'name') return typeof value === 'string';
  if (value === undefined || value === null) return true;
  if (kind === 'text') return typeof value === 'string';
  if (!(value instanceof WrittenNumber) || !isStorable(value.text)) return false;
  const decimal = normalDecimal(value.text);
  if (decimal.startsWith('-')) return false;
  return kind === 'amount' || (/^\d+$/.test(decimal) && BigInt(decimal) <= largestBigint);
}
