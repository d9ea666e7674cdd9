/** The `/tools` row of a simulated day: calls by tool, server, skill, command and hook. */
import type { Day } from '../model/day.ts';
import {
  delegationLevels,
  hooks,
  mcpServers,
  parsingArtifacts,
  skills,
  slashCommands,
  tools,
} from './catalogue.ts';
import type { DayTotals } from './day-totals.ts';
import { type RandomStream, split } from './random.ts';
import type { HookCount, NamedCount, ToolRow } from './rows.ts';

/** Share of malformed tool names: about 0.006 % (platform-api.md §8). */
const artifactShare = 0.00006;
const artifactVariants = 20;

/** Ratios and shares are rounded to four decimals. */
const precision = 10_000;

/** Makes the row. `random` must depend only on the seed and the day. */
export function toolRow(date: Day, totals: DayTotals, random: RandomStream): ToolRow {
  return {
    date,
    tool_calls: totals.toolCalls,
    by_tool: byTool(totals.toolCalls, random),
    mcp_users_with_mcp: totals.usersWithMcp,
    mcp_by_server: countByName(totals.mcpCalls, mcpServers, random).map(({ name, count }) => ({
      server: name,
      invocations: count,
    })),
    skills_invocations: totals.skillCalls,
    skills_by_name: countByName(totals.skillCalls, skills, random),
    slash_commands_invocations: totals.slashCommands,
    slash_commands_by_name: countByName(totals.slashCommands, slashCommands, random),
    hooks_invocations: totals.hooks,
    hooks_by_event: byHook(totals.hooks, random),
    web_users: totals.byClient[1] ?? 0,
    autonomy_ratio_avg: rounded(totals.autonomyRatio.mean),
    autonomy_ratio_p50: rounded(totals.autonomyRatio.median),
    autonomy_ratio_p90: rounded(totals.autonomyRatio.percentile90),
    tool_calls_per_session_avg: rounded(totals.toolCalls / totals.sessions),
    user_turns_per_session_avg: rounded(totals.userMessages / totals.sessions),
    tool_autonomy_level_ratio: autonomyShares(totals.byDelegationLevel),
  };
}

/** A ratio, rounded to four decimals; 0 for a ratio that is no number, as on a day without active users. */
export function rounded(ratio: number): number {
  return Number.isFinite(ratio) ? Math.round(ratio * precision) / precision : 0;
}

function byTool(toolCalls: number, random: RandomStream): ToolRow['by_tool'] {
  const malformed = Math.min(toolCalls, Math.floor(toolCalls * artifactShare + random.next()));
  const counts = countByName(toolCalls - malformed, tools, random);
  const malformedCounts = new Map<string, number>();
  for (let call = 0; call < malformed; call++) {
    const artifact = parsingArtifacts[random.between(0, parsingArtifacts.length - 1)];
    const name = `${artifact}${random.between(1, artifactVariants)}`;
    malformedCounts.set(name, (malformedCounts.get(name) ?? 0) + 1);
  }
  return [
    ...counts.map(({ name, count }) => ({ tool: name, invocations: count })),
    ...Array.from(malformedCounts, ([tool, invocations]) => ({ tool, invocations })),
  ];
}

function countByName(
  total: number,
  entries: readonly { readonly name: string; readonly weight: number }[],
  random: RandomStream,
): NamedCount[] {
  const counts = split(
    total,
    entries.map(({ weight }) => weight),
    random,
  );
  return entries
    .map(({ name }, index) => ({ name, count: counts[index] ?? 0 }))
    .filter(({ count }) => count > 0);
}

function byHook(total: number, random: RandomStream): HookCount[] {
  const counts = split(
    total,
    hooks.map(({ weight }) => weight),
    random,
  );
  return hooks
    .map(({ weight: _, ...hook }, index) => ({ ...hook, count: counts[index] ?? 0 }))
    .filter(({ count }) => count > 0);
}

/** The share of tool calls at each level. `spec` is left out, because it is not a documented key. */
function autonomyShares(toolCalls: readonly number[]): ToolRow['tool_autonomy_level_ratio'] {
  const calls = (level: (typeof delegationLevels)[number]) => toolCalls[delegationLevels.indexOf(level)] ?? 0;
  const [high, medium, low] = [calls('auto-high'), calls('auto-medium'), calls('auto-low')];
  const all = high + medium + low + calls('manual');
  if (all === 0) return { auto_high: 0, auto_medium: 0, auto_low: 0, manual: 0 };
  // The cumulative sums are rounded, so that the shares sum to exactly 1.
  const upTo = [high, high + medium, high + medium + low, all].map((sum) =>
    Math.round((sum / all) * precision),
  );
  const share = (index: number) => ((upTo[index] ?? 0) - (upTo[index - 1] ?? 0)) / precision;
  return { auto_high: share(0), auto_medium: share(1), auto_low: share(2), manual: share(3) };
}
