/** The figures of one simulated user on one day, for the rows of all endpoints. */
import {
  clientTypes,
  delegationLevels,
  fileExtensions,
  type ModelVariant,
  modelVariants,
} from './catalogue.ts';
import type { SimulatedDay } from './population.ts';
import { hash, RandomStream } from './random.ts';

export interface ModelUse {
  /** Index of the model in `modelVariants`. */
  readonly variant: number;
  /** Standard Credits in hundredths: integers, so that sums over users and models are exact. */
  readonly billableHundredths: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export interface UserDay {
  /** The used models, at least one. The first is the one with the most credits: the user's primary model. */
  readonly models: readonly [ModelUse, ...ModelUse[]];
  readonly billableHundredths: number;
  readonly sessions: number;
  /** At least 1, because only a message makes a user active. */
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly toolCalls: number;
  readonly mcpCalls: number;
  readonly skillCalls: number;
  readonly slashCommands: number;
  readonly hooks: number;
  readonly filesCreated: number;
  readonly filesEdited: number;
  readonly gitCommits: number;
  readonly gitPrsCreated: number;
  /** Index in `delegationLevels`. */
  readonly delegationLevel: number;
  /** The used clients: one bit for each of `clientTypes`; at least one bit is set. */
  readonly clients: number;
  /** File operations by extension (index in `fileExtensions`); their sum is that of created and edited files. */
  readonly fileOperations: readonly { readonly extension: number; readonly count: number }[];
}

const modelTable = cumulative(modelVariants.map(({ weight }) => weight));
const extensionTable = cumulative(fileExtensions.map(({ weight }) => weight));
const delegationTable = cumulative([30, 28, 20, 7, 15]);

/** Usage per user grows by this share of the first day's usage every day. */
const dailyGrowth = 0.002;

/** Makes a user's day; the same seed, user and day give the same result. `weight` is that of the population. */
export function simulateUserDay(seed: number, user: number, weight: number, day: SimulatedDay): UserDay {
  const random = new RandomStream(hash(seed, user, day.offset));
  const habits = hash(seed, user, 99);
  const effort = weight * (1 + dailyGrowth * day.offset) * (0.4 + 1.2 * random.next());

  const sessions = 1 + Math.floor(effort * 3 * random.next());
  const userMessages = sessions * random.between(1, 4) + Math.floor(effort * 4 * random.next());
  const assistantMessages = Math.round(userMessages * (1.2 + 2.5 * random.next()));
  // On some days a user only talks to agents, and no tool is called.
  const toolCalls = random.next() < 0.07 ? 0 : Math.floor(userMessages * (1 + 9 * random.next() ** 2));
  const ofToolCalls = (share: number) => Math.floor(toolCalls * share * random.next());
  const filesCreated = ofToolCalls(0.06);
  const filesEdited = ofToolCalls(0.35);

  const models = simulateModels(random, habits, userMessages * 900 + toolCalls * 2100, day);
  return {
    models,
    billableHundredths: models.reduce((sum, use) => sum + use.billableHundredths, 0),
    sessions,
    userMessages,
    assistantMessages,
    toolCalls,
    mcpCalls: habits % 10 < 4 ? ofToolCalls(0.2) : 0,
    skillCalls: habits % 7 < 2 ? ofToolCalls(0.05) : 0,
    slashCommands: habits % 5 < 2 ? Math.floor(userMessages * 0.4 * random.next()) : 0,
    hooks: habits % 11 < 3 ? ofToolCalls(1.2) : 0,
    filesCreated,
    filesEdited,
    gitCommits: Math.floor(filesEdited * 0.3 * random.next()),
    gitPrsCreated: Math.floor(filesEdited * 0.06 * random.next()),
    delegationLevel: pick(delegationTable, random.next()),
    clients: simulateClients(random, habits),
    fileOperations: simulateFiles(random, habits, filesCreated + filesEdited),
  };
}

function simulateModels(
  random: RandomStream,
  habits: number,
  tokens: number,
  day: SimulatedDay,
): [ModelUse, ...ModelUse[]] {
  const habitual = pick(modelTable, ((habits >>> 4) % 1024) / 1024);
  const main = availableVariant(random.next() < 0.7 ? habitual : pick(modelTable, random.next()), day);
  const other = random.next() < 0.45 ? availableVariant(pick(modelTable, random.next()), day) : main;
  const share = other === main ? 1 : 0.5 + 0.5 * random.next();
  const first = simulateModelUse(random, main, tokens * share);
  if (other === main) return [first];
  const second = simulateModelUse(random, other, tokens * (1 - share));
  return second.billableHundredths > first.billableHundredths ? [second, first] : [first, second];
}

function availableVariant(variant: number, day: SimulatedDay): number {
  return (modelVariants[variant]?.appearsAfterDays ?? 0) > day.offset ? 0 : variant;
}

function simulateModelUse(random: RandomStream, variant: number, tokens: number): ModelUse {
  const { price }: ModelVariant = modelVariants[variant] ?? modelVariants[0];
  const inputTokens = Math.round(tokens * (0.5 + random.next()));
  const outputTokens = Math.round(inputTokens * (0.03 + 0.09 * random.next()));
  const cacheReadTokens = Math.round(inputTokens * (0.4 + 0.5 * random.next()));
  const cacheWriteTokens = Math.round(inputTokens * 0.1 * random.next());
  // Cached input costs a tenth, output four times as much as input. Credits come in steps of 0.05.
  const credits = price * (inputTokens - 0.9 * cacheReadTokens + 4 * outputTokens);
  const billableHundredths = Math.round(credits * 20) * 5;
  return { variant, billableHundredths, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}

/** The used clients: everybody has a habitual client, and uses a second one on some days. */
function simulateClients(random: RandomStream, habits: number): number {
  const habitual = habits % 8 < 5 ? 0 : habits % 8 < 7 ? 1 : 2;
  const second = random.next() < 0.25 ? random.between(0, clientTypes.length - 1) : habitual;
  return (1 << habitual) | (1 << second);
}

function simulateFiles(random: RandomStream, habits: number, operations: number): UserDay['fileOperations'] {
  if (operations === 0) return [];
  const main = pick(extensionTable, ((habits >>> 14) % 1024) / 1024);
  const other = pick(extensionTable, random.next());
  const others = other === main ? 0 : Math.floor(operations * 0.5 * random.next());
  const ofMain = { extension: main, count: operations - others };
  return others === 0 ? [ofMain] : [ofMain, { extension: other, count: others }];
}

/** For each weight the share that it and all weights before it have in the sum. */
function cumulative(weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((left, right) => left + right, 0);
  let reached = 0;
  return weights.map((weight) => {
    reached += weight;
    return reached / sum;
  });
}

function pick(table: readonly number[], at: number): number {
  let index = 0;
  while (index < table.length - 1 && at >= (table[index] ?? 1)) index++;
  return index;
}

/** The delegation level as the platform writes it. */
export function delegationLevelOf(user: UserDay): string {
  return delegationLevels[user.delegationLevel] ?? 'manual';
}

/** The languages of the user's files, without duplicates. */
export function languagesOf(user: UserDay): string[] {
  const languages: string[] = [];
  for (const { extension } of user.fileOperations) {
    const language = fileExtensions[extension]?.language;
    if (language !== undefined && !languages.includes(language)) languages.push(language);
  }
  return languages;
}
