/**
 * Generates plausible analytics of an organization from a seed: each day by itself, in any order. The rows of the five
 * endpoints agree with each other.
 */
import { type Day, daysBetween, day as readDay } from '../model/day.ts';
import { BoundedCache } from './bounded-cache.ts';
import { clientTypes, fileExtensions, modelVariants } from './catalogue.ts';
import { type DayTotals, type ModelTotals, totalOfDay } from './day-totals.ts';
import { createPopulation, type SimulatedDay } from './population.ts';
import { hash, RandomStream } from './random.ts';
import type {
  ActivityRow,
  ModelTokens,
  ProductivityRow,
  TokenRow,
  TokenTotals,
  ToolRow,
  UserRow,
  UserTokens,
} from './rows.ts';
import { rounded, toolRow } from './tool-row.ts';
import { delegationLevelOf, languagesOf, simulateUserDay } from './user-day.ts';

export interface GeneratorOptions {
  /** Any integer; equal seeds give equal rows. */
  readonly seed: number;
  /** Final number of users: 0 to 1,000,000. */
  readonly users: number;
  /** The organization's first day; earlier days have no rows. */
  readonly from: Day;
  readonly organizationId?: string;
}

/** Makes rows. For days before the first, methods for one row return undefined, methods for many rows return none. */
export interface Generator {
  readonly organizationId: string;
  tokens(day: Day): TokenRow | undefined;
  /** The `/tokens` row without `by_user`, which grows with the organization. */
  tokenTotals(day: Day): TokenTotals | undefined;
  tools(day: Day): ToolRow | undefined;
  activity(day: Day): ActivityRow | undefined;
  productivity(day: Day): ProductivityRow | undefined;
  /** The rows of a day's users whose id is after `cursor`, sorted by id. Each row is made when it is read. */
  usersAfter(day: Day, cursor?: string): Iterable<UserRow>;
  /** Whether a user has this e-mail on a day, in any letter case. */
  hasEmail(email: string, day: Day): boolean;
}

const maxUsers = 1_000_000;

/** Days whose totals are kept, because clients read the same days from the next endpoint. */
const keptTotals = 64;

/** Makes the generator; throws `RangeError` for an invalid seed or number of users. */
export function createGenerator(options: GeneratorOptions): Generator {
  const { seed, users, from, organizationId = `org_simulated_${seed}` } = options;
  if (!Number.isSafeInteger(seed)) throw new RangeError(`expected an integer as seed, got ${seed}`);
  if (!Number.isInteger(users) || users < 0 || users > maxUsers)
    throw new RangeError(`expected a number of users from 0 to ${maxUsers}, got ${users}`);

  const population = createPopulation(seed, users);
  const totalsByOffset = new BoundedCache<number, DayTotals>(keptTotals);
  const simulated = (day: Day): SimulatedDay => ({ offset: daysBetween(from, day), weekday: weekdayOf(day) });
  const totalsOf = (day: SimulatedDay) =>
    totalsByOffset.getOrMake(day.offset, () => totalOfDay(seed, population, day));
  const userDay = (user: number, day: SimulatedDay) =>
    simulateUserDay(seed, user, population.weight(user), day);

  /** The row from `make`; undefined before the first day. */
  function rowOf<Row>(date: Day, make: (totals: DayTotals, day: SimulatedDay) => Row): Row | undefined {
    const day = simulated(date);
    return day.offset < 0 ? undefined : make(totalsOf(day), day);
  }

  function* tokensByUser(day: SimulatedDay): Iterable<UserTokens> {
    for (const user of population.activeUsers(day)) {
      const { billableHundredths, models } = userDay(user, day);
      yield {
        user_id: population.userId(user),
        user_email: population.email(user, day.offset),
        billable_tokens: billableHundredths / 100,
        by_model: models.map((use) => modelTokens(use.variant, use)),
      };
    }
  }

  function* usersAfter(date: Day, cursor?: string): Iterable<UserRow> {
    const day = simulated(date);
    if (day.offset < 0) return;
    for (let user = population.firstAfter(cursor); user < population.size; user++)
      if (population.isActive(user, day)) yield userRow(date, user, day);
  }

  function userRow(date: Day, user: number, day: SimulatedDay): UserRow {
    const doings = userDay(user, day);
    const model = modelVariants[doings.models[0].variant] ?? modelVariants[0];
    return {
      user_id: population.userId(user),
      user_email: population.email(user, day.offset),
      date,
      tool_calls: doings.toolCalls,
      billable_tokens: doings.billableHundredths / 100,
      primary_model: model.modelId,
      primary_model_tier: model.tier,
      files_created: doings.filesCreated,
      files_edited: doings.filesEdited,
      git_commits: doings.gitCommits,
      git_prs_created: doings.gitPrsCreated,
      mcp_calls: doings.mcpCalls,
      skill_calls: doings.skillCalls,
      slash_commands: doings.slashCommands,
      hooks: doings.hooks,
      sessions: doings.sessions,
      messages: doings.userMessages + doings.assistantMessages,
      user_messages: doings.userMessages,
      assistant_messages: doings.assistantMessages,
      autonomy_ratio: rounded(doings.toolCalls / doings.userMessages),
      delegation_level: delegationLevelOf(doings),
      languages: languagesOf(doings),
    };
  }

  return {
    organizationId,
    tokens: (date) =>
      rowOf(date, (totals, day) => ({
        ...tokenTotals(date, totals),
        by_user: Array.from(tokensByUser(day)),
      })),
    tokenTotals: (date) => rowOf(date, (totals) => tokenTotals(date, totals)),
    tools: (date) =>
      rowOf(date, (totals, day) => toolRow(date, totals, new RandomStream(hash(seed, -1, day.offset)))),
    activity: (date) =>
      rowOf(date, (totals, day) => ({
        date,
        daily_active_users: totals.activeUsers,
        weekly_active_users: population.countActive(day, 7),
        monthly_active_users: population.countActive(day, 30),
        daily_active_users_by_client: Object.fromEntries(
          clientTypes.map((client, index) => [client, totals.byClient[index] ?? 0]),
        ),
        sessions: totals.sessions,
        messages: totals.userMessages + totals.assistantMessages,
        user_messages: totals.userMessages,
      })),
    productivity: (date) => rowOf(date, (totals) => productivityRow(date, totals)),
    usersAfter,
    hasEmail: (email, date) => population.hasEmail(email, simulated(date).offset),
  };
}

function tokenTotals(date: Day, totals: DayTotals): TokenTotals {
  const sum = (measure: keyof ModelTotals) =>
    totals.byModel.reduce((left, model) => left + model[measure], 0);
  return {
    date,
    billable_tokens: totals.billableHundredths / 100,
    input_tokens: sum('inputTokens'),
    output_tokens: sum('outputTokens'),
    cache_read_tokens: totals.cacheReadTokens,
    cache_write_tokens: totals.cacheWriteTokens,
    by_model: totals.byModel
      .map((model, variant) => modelTokens(variant, model))
      .filter(({ input_tokens }) => input_tokens > 0),
  };
}

function modelTokens(variant: number, totals: Readonly<ModelTotals>): ModelTokens {
  const model = modelVariants[variant] ?? modelVariants[0];
  return {
    model_id: model.modelId,
    model_tier: model.tier,
    billable_tokens: totals.billableHundredths / 100,
    input_tokens: totals.inputTokens,
    output_tokens: totals.outputTokens,
  };
}

function productivityRow(date: Day, totals: DayTotals): ProductivityRow {
  const byLanguage = new Map<string, number>();
  for (const [index, { language }] of fileExtensions.entries())
    if (language !== undefined)
      byLanguage.set(language, (byLanguage.get(language) ?? 0) + (totals.byExtension[index] ?? 0));
  return {
    date,
    files_created: totals.filesCreated,
    files_edited: totals.filesEdited,
    by_extension: fileExtensions
      .map(({ extension }, index) => ({ extension, count: totals.byExtension[index] ?? 0 }))
      .filter(({ count }) => count > 0),
    by_language: Array.from(byLanguage, ([language, count]) => ({ language, count })).filter(
      ({ count }) => count > 0,
    ),
    git_commits: totals.gitCommits,
    git_prs_created: totals.gitPrsCreated,
  };
}

const someMonday = readDay('2024-01-01');

function weekdayOf(date: Day): number {
  return ((daysBetween(someMonday, date) % 7) + 7) % 7;
}
