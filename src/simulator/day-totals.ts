/** The sums of one simulated day over its active users, for rows about the whole organization. */
import { clientTypes, delegationLevels, fileExtensions, modelVariants } from './catalogue.ts';
import type { Population, SimulatedDay } from './population.ts';
import { simulateUserDay, type UserDay } from './user-day.ts';

const summedMeasures = [
  'sessions',
  'userMessages',
  'assistantMessages',
  'toolCalls',
  'mcpCalls',
  'skillCalls',
  'slashCommands',
  'hooks',
  'filesCreated',
  'filesEdited',
  'gitCommits',
  'gitPrsCreated',
  'billableHundredths',
] as const satisfies readonly (keyof UserDay)[];

type SummedMeasure = (typeof summedMeasures)[number];

export interface ModelTotals {
  billableHundredths: number;
  inputTokens: number;
  outputTokens: number;
}

export interface DayTotals extends Record<SummedMeasure, number> {
  activeUsers: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** Totals of each of `modelVariants`, in their order. */
  readonly byModel: readonly ModelTotals[];
  /** File operations with each of `fileExtensions`, in their order. */
  readonly byExtension: number[];
  /** Users of each of `clientTypes`, in their order. */
  readonly byClient: number[];
  /** Tool calls at each of `delegationLevels`, in their order. */
  readonly byDelegationLevel: number[];
  usersWithMcp: number;
  /** Tool calls per user message, over the active users; 0 when there are none. */
  readonly autonomyRatio: { readonly mean: number; readonly median: number; readonly percentile90: number };
}

/** Sums one day in one pass over the active users. */
export function totalOfDay(seed: number, population: Population, day: SimulatedDay): DayTotals {
  const ratios: number[] = [];
  const byModel = modelVariants.map(() => ({ billableHundredths: 0, inputTokens: 0, outputTokens: 0 }));
  const byExtension = fileExtensions.map(() => 0);
  const byClient = clientTypes.map(() => 0);
  const byDelegationLevel = delegationLevels.map(() => 0);
  const sums = zeroSums();
  let [cacheReadTokens, cacheWriteTokens, usersWithMcp] = [0, 0, 0];

  for (const number of population.activeUsers(day)) {
    const user = simulateUserDay(seed, number, population.weight(number), day);
    for (const measure of summedMeasures) sums[measure] += user[measure];
    for (const use of user.models) {
      cacheReadTokens += use.cacheReadTokens;
      cacheWriteTokens += use.cacheWriteTokens;
      const totals = byModel[use.variant];
      if (totals === undefined) continue;
      totals.billableHundredths += use.billableHundredths;
      totals.inputTokens += use.inputTokens;
      totals.outputTokens += use.outputTokens;
    }
    for (const { extension, count } of user.fileOperations) addAt(byExtension, extension, count);
    for (let client = 0; client < byClient.length; client++)
      addAt(byClient, client, (user.clients >>> client) & 1);
    addAt(byDelegationLevel, user.delegationLevel, user.toolCalls);
    if (user.mcpCalls > 0) usersWithMcp++;
    ratios.push(user.toolCalls / user.userMessages);
  }
  return {
    ...sums,
    activeUsers: ratios.length,
    cacheReadTokens,
    cacheWriteTokens,
    byModel,
    byExtension,
    byClient,
    byDelegationLevel,
    usersWithMcp,
    autonomyRatio: distributionOf(ratios),
  };
}

function distributionOf(ratios: readonly number[]): DayTotals['autonomyRatio'] {
  const ascending = Float64Array.from(ratios).sort();
  const nearestRank = (part: number) => ascending[Math.max(0, Math.ceil(ascending.length * part) - 1)] ?? 0;
  const sum = ascending.reduce((left, right) => left + right, 0);
  return {
    mean: sum / Math.max(1, ascending.length),
    median: nearestRank(0.5),
    percentile90: nearestRank(0.9),
  };
}

function zeroSums(): Record<SummedMeasure, number> {
  return {
    sessions: 0,
    userMessages: 0,
    assistantMessages: 0,
    toolCalls: 0,
    mcpCalls: 0,
    skillCalls: 0,
    slashCommands: 0,
    hooks: 0,
    filesCreated: 0,
    filesEdited: 0,
    gitCommits: 0,
    gitPrsCreated: 0,
    billableHundredths: 0,
  };
}

function addAt(sums: number[], index: number, amount: number): void {
  sums[index] = (sums[index] ?? 0) + amount;
}
