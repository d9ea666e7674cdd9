import { describe, expect, test } from 'vitest';
import { addDays, day, daysOf } from '../../src/model/day.ts';
import { createGenerator, type Generator } from '../../src/simulator/generate.ts';
import type { UserRow } from '../../src/simulator/rows.ts';

const from = day('2026-01-14');
const lastDay = day('2026-03-31');
const allDays = daysOf({ from, to: lastDay });
const generator = createGenerator({ seed: 7, users: 300, from });

/** Credits have at most two decimals: hundredths add up without rounding. */
function sumOf<Item>(items: Iterable<Item>, measure: (item: Item) => number): number {
  let hundredths = 0;
  for (const item of items) hundredths += Math.round(measure(item) * 100);
  return hundredths / 100;
}

function defined<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('expected a row');
  return value;
}

function everythingOf(source: Generator, date: typeof from): string {
  return JSON.stringify([
    source.tokens(date),
    source.tools(date),
    source.activity(date),
    source.productivity(date),
    Array.from(source.usersAfter(date)),
  ]);
}

describe('the endpoints of a generated day agree', () => {
  const sampled = [from, day('2026-01-17'), day('2026-02-18'), lastDay];

  test.each(sampled)('credits and tokens add up over users and models on %s', (date) => {
    const tokens = defined(generator.tokens(date));
    expect(sumOf(tokens.by_user, (user) => user.billable_tokens)).toBe(tokens.billable_tokens);
    for (const measure of ['billable_tokens', 'input_tokens', 'output_tokens'] as const) {
      expect(sumOf(tokens.by_model, (model) => model[measure])).toBe(tokens[measure]);
      expect(sumOf(tokens.by_user, (user) => sumOf(user.by_model, (model) => model[measure]))).toBe(
        tokens[measure],
      );
    }
    for (const user of tokens.by_user)
      expect(sumOf(user.by_model, (model) => model.billable_tokens)).toBe(user.billable_tokens);
  });

  test.each(sampled)('/tokens and /users name the same users with the same credits on %s', (date) => {
    const credits = (
      rows: Iterable<{ user_id: string; user_email: string | null; billable_tokens: number }>,
    ) => Array.from(rows, (row) => [row.user_id, row.user_email, row.billable_tokens]);
    expect(credits(generator.usersAfter(date))).toEqual(credits(defined(generator.tokens(date)).by_user));
  });

  test.each(sampled)('the primary model of a user is the one with the most credits on %s', (date) => {
    const primary = Array.from(generator.usersAfter(date), (row) => [
      row.primary_model,
      row.primary_model_tier,
    ]);
    const costliest = defined(generator.tokens(date)).by_user.map(({ by_model }) => {
      const first = by_model.reduce((best, model) =>
        model.billable_tokens > best.billable_tokens ? model : best,
      );
      return [first.model_id, first.model_tier];
    });
    expect(primary).toEqual(costliest);
  });

  test.each(sampled)('tool calls and named invocations add up on %s', (date) => {
    const tools = defined(generator.tools(date));
    const users = Array.from(generator.usersAfter(date));
    const sum = (measure: (row: UserRow) => number) => sumOf(users, measure);
    expect(tools.tool_calls).toBe(sum((row) => row.tool_calls));
    expect(sumOf(tools.by_tool, (tool) => tool.invocations)).toBe(tools.tool_calls);
    expect(sumOf(tools.mcp_by_server, (server) => server.invocations)).toBe(sum((row) => row.mcp_calls));
    expect(tools.mcp_users_with_mcp).toBe(users.filter((row) => row.mcp_calls > 0).length);
    expect(tools.skills_invocations).toBe(sum((row) => row.skill_calls));
    expect(sumOf(tools.skills_by_name, (skill) => skill.count)).toBe(tools.skills_invocations);
    expect(tools.slash_commands_invocations).toBe(sum((row) => row.slash_commands));
    expect(sumOf(tools.slash_commands_by_name, (command) => command.count)).toBe(
      tools.slash_commands_invocations,
    );
    expect(tools.hooks_invocations).toBe(sum((row) => row.hooks));
    expect(sumOf(tools.hooks_by_event, (hook) => hook.count)).toBe(tools.hooks_invocations);
    expect(Object.values(tools.tool_autonomy_level_ratio).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
    expect(tools.tool_calls_per_session_avg).toBeCloseTo(tools.tool_calls / sum((row) => row.sessions), 4);
  });

  test.each(sampled)('activity counts what the users did on %s', (date) => {
    const activity = defined(generator.activity(date));
    const users = Array.from(generator.usersAfter(date));
    const byClient = Object.values(activity.daily_active_users_by_client);
    expect(activity.daily_active_users).toBe(users.length);
    expect(activity.sessions).toBe(sumOf(users, (row) => row.sessions));
    expect(activity.user_messages).toBe(sumOf(users, (row) => row.user_messages));
    expect(activity.messages).toBe(sumOf(users, (row) => row.user_messages + row.assistant_messages));
    expect(Math.max(...byClient)).toBeLessThanOrEqual(users.length);
    expect(byClient.reduce((a, b) => a + b, 0)).toBeGreaterThan(users.length);
    expect(activity.daily_active_users_by_client.web).toBe(defined(generator.tools(date)).web_users);
  });

  test.each(sampled)('weekly and monthly users are unions of the trailing days on %s', (date) => {
    const activeWithin = (days: number) =>
      new Set(
        daysOf({ from: addDays(date, 1 - days), to: date }).flatMap((each) =>
          Array.from(generator.usersAfter(each), (row) => row.user_id),
        ),
      ).size;
    const activity = defined(generator.activity(date));
    expect(activity.weekly_active_users).toBe(activeWithin(7));
    expect(activity.monthly_active_users).toBe(activeWithin(30));
  });

  test.each(sampled)('files, commits and languages add up on %s', (date) => {
    const productivity = defined(generator.productivity(date));
    const users = Array.from(generator.usersAfter(date));
    for (const measure of ['files_created', 'files_edited', 'git_commits', 'git_prs_created'] as const)
      expect(productivity[measure]).toBe(sumOf(users, (row) => row[measure]));
    expect(sumOf(productivity.by_extension, ({ count }) => count)).toBe(
      productivity.files_created + productivity.files_edited,
    );
    expect(new Set(productivity.by_language.map(({ language }) => language))).toEqual(
      new Set(users.flatMap((row) => row.languages)),
    );
  });
});

describe('generated days depend on the seed alone', () => {
  test('the order in which days are asked for changes nothing', () => {
    const [first, second] = [day('2026-02-03'), day('2026-03-05')];
    const forwards = createGenerator({ seed: 3, users: 40, from });
    const backwards = createGenerator({ seed: 3, users: 40, from });
    const expected = [everythingOf(forwards, first), everythingOf(forwards, second)];
    const reversed = [everythingOf(backwards, second), everythingOf(backwards, first)];
    expect(reversed.reverse()).toEqual(expected);
  });

  test('another seed makes other data', () => {
    const other = createGenerator({ seed: 8, users: 300, from });
    expect(everythingOf(other, from)).not.toBe(everythingOf(generator, from));
  });

  test('there is nothing before the first day', () => {
    const before = day('2026-01-13');
    expect(generator.tokens(before)).toBeUndefined();
    expect(generator.activity(before)).toBeUndefined();
    expect(Array.from(generator.usersAfter(before))).toEqual([]);
  });

  test('reading after a cursor continues the whole day', () => {
    const whole = Array.from(generator.usersAfter(lastDay));
    const cursor = defined(whole[50]).user_id;
    expect(Array.from(generator.usersAfter(lastDay, cursor))).toEqual(whole.slice(51));
  });

  test('a day without active users has rows of zeros', () => {
    const empty = createGenerator({ seed: 1, users: 0, from });
    expect(empty.tokens(from)).toMatchObject({ billable_tokens: 0, by_model: [], by_user: [] });
    expect(empty.tools(from)).toMatchObject({ tool_calls: 0, autonomy_ratio_avg: 0, by_tool: [] });
    expect(empty.activity(from)).toMatchObject({ daily_active_users: 0, monthly_active_users: 0 });
  });

  test('seeds and numbers of users out of range are refused', () => {
    expect(() => createGenerator({ seed: 0.5, users: 1, from })).toThrow('expected an integer as seed');
    expect(() => createGenerator({ seed: 1, users: 1_000_001, from })).toThrow(
      'from 0 to 1000000, got 1000001',
    );
  });
});

describe('generated data has the irregularities of real data', () => {
  const userRows = allDays.flatMap((date) => Array.from(generator.usersAfter(date)));
  const toolRows = allDays.map((date) => defined(generator.tools(date)));

  test('weekends are quiet and the organization grows', () => {
    const active = (date: string) => defined(generator.activity(day(date))).daily_active_users;
    expect(active('2026-02-21')).toBeLessThan(active('2026-02-18') / 2);
    expect(active('2026-03-31')).toBeGreaterThan(active('2026-01-20'));
  });

  test('few users cause most of the credits', () => {
    const byUser = defined(generator.tokens(lastDay)).by_user.map((user) => user.billable_tokens);
    const top = byUser.toSorted((a, b) => b - a).slice(0, Math.ceil(byUser.length / 5));
    expect(sumOf(top, (credits) => credits)).toBeGreaterThan(sumOf(byUser, (credits) => credits) * 0.4);
  });

  test('e-mails are unknown for some users and change for others', () => {
    const emails = Array.from(
      Map.groupBy(userRows, (row) => row.user_id).values(),
      (rows) => new Set(rows.map((row) => row.user_email)),
    );
    expect(emails.some((seen) => seen.size === 1 && seen.has(null))).toBe(true);
    expect(emails.some((seen) => seen.size === 2 && seen.has(null))).toBe(true);
    expect(emails.some((seen) => seen.size === 2 && !seen.has(null))).toBe(true);
  });

  test('all documented delegation levels, clients and both tiers of one model occur', () => {
    expect(new Set(userRows.map((row) => row.delegation_level))).toEqual(
      new Set(['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual']),
    );
    const tiers = defined(generator.tokens(lastDay)).by_model.map(
      (row) => `${row.model_id} ${row.model_tier}`,
    );
    expect(tiers).toContain('claude-sonnet-4-5 standard');
    expect(tiers).toContain('claude-sonnet-4-5 thinking');
  });

  test('credits are fractional', () => {
    expect(userRows.some((row) => !Number.isInteger(row.billable_tokens))).toBe(true);
  });

  test('servers differ by letter case only, and about 0.006 % of tool names are malformed', () => {
    const servers = new Set(toolRows.flatMap((row) => row.mcp_by_server.map(({ server }) => server)));
    expect(new Set(Array.from(servers, (server) => server.toLowerCase())).size).toBeLessThan(servers.size);
    const invocations = toolRows.flatMap((row) => row.by_tool);
    const malformed = invocations.filter(({ tool }) => !/^\w+$/.test(tool));
    const share =
      sumOf(malformed, (tool) => tool.invocations) / sumOf(invocations, (tool) => tool.invocations);
    expect(share).toBeGreaterThan(0.00003);
    expect(share).toBeLessThan(0.00012);
  });

  test('some hooks lack a matcher or a command, and some commands have several lines', () => {
    const hooks = toolRows.flatMap((row) => row.hooks_by_event);
    expect(hooks.some((hook) => hook.matcher === undefined)).toBe(true);
    expect(hooks.some((hook) => hook.command === undefined)).toBe(true);
    expect(hooks.some((hook) => hook.command?.includes('\n'))).toBe(true);
  });
});
