/** Judges what is held of each endpoint and day after the platform recovered, by what is true and by what was said. */
import { addDays, type Day } from '../../src/model/day.ts';
import { expectedWarehouse, type Warehouse } from '../support/expected-warehouse.ts';
import { endpoints, organization } from '../support/installation.ts';
import type { Row } from './odd-answers.ts';
import type { Attempt, UnsteadyPlatform } from './unsteady-platform.ts';

/** An endpoint and day. */
export interface Slice {
  readonly endpoint: string;
  readonly day: Day;
}

/** What is known of the warehouse. */
export interface Held {
  readonly stored: Warehouse;
  /** Status in the ledger, by `nameOf`. */
  readonly status: ReadonlyMap<string, string>;
  /** The slices that are named as refused. */
  readonly refused: ReadonlySet<string>;
}

/** When the platform recovered. */
export interface Recovery {
  /** Yesterday of the first and of the last night since. */
  readonly first: Day;
  readonly last: Day;
  readonly lookbackDays: number;
}

/** What a slice may be found as; see the head of `random-nights.test.ts`. */
export const verdicts = ['right', 'refused', 'pending', 'empty', 'excused'] as const;
export type Verdict = (typeof verdicts)[number];

/** Answers without rows are believed when nights on so many different days got them. */
const nightsUntilBelieved = 3;
/** A day that lies further back than this is believed when no endpoint has rows for it. */
const daysUntilCounted = 3;

/** An answer that would take this many rows of a table, and more than this share of them, is refused. */
const fewLost = 20;
const mostLostShare = 0.5;

const endpointOf: Readonly<Record<string, (typeof endpoints)[number]>> = {
  fact_token_daily: 'tokens',
  fact_token_model_daily: 'tokens',
  fact_token_user_daily: 'tokens',
  fact_token_user_model_daily: 'tokens',
  fact_tool_daily: 'tools',
  fact_tool_usage_daily: 'tools',
  fact_mcp_server_daily: 'tools',
  fact_skill_daily: 'tools',
  fact_slash_command_daily: 'tools',
  fact_hook_daily: 'tools',
  fact_autonomy_level_daily: 'tools',
  fact_activity_daily: 'activity',
  fact_activity_client_daily: 'activity',
  fact_productivity_daily: 'productivity',
  fact_file_extension_daily: 'productivity',
  fact_language_daily: 'productivity',
  fact_user_daily: 'users',
  bridge_user_language_daily: 'users',
};

/** A slice as text. */
export function nameOf({ endpoint, day }: Slice): string {
  return `${endpoint} ${day}`;
}

/** Makes the judge of one state of the warehouse: it says how a slice is found, or what is wrong with it. */
export function createJudge(
  platform: Pick<UnsteadyPlatform, 'truth' | 'attempts'>,
  { stored, status, refused }: Held,
  recovery: Recovery,
): (slice: Slice) => Verdict | { readonly wrong: string } {
  const holds = rowsBySlice(stored);
  const heldBy = (slice: Slice) => holds.get(nameOf(slice)) ?? '';
  const isHeld = (slice: Slice, rows: readonly Row[]) =>
    heldBy(slice) === (rowsBySlice(warehouseOf(slice, rows)).get(nameOf(slice)) ?? '');

  return function judge(slice) {
    const attempts = platform.attempts(slice.endpoint, slice.day);
    const truth = platform.truth(slice.endpoint, slice.day);
    const is = status.get(nameOf(slice)) ?? 'absent';
    const { held, isRefused } = believed(slice, attempts);
    const isRight = isHeld(slice, truth);
    if (!isHeld(slice, held)) return { wrong: 'does not hold what was said last and not refused' };
    if (refused.has(nameOf(slice)) !== isRefused)
      return { wrong: isRefused ? 'was refused, but is not named' : 'is named as refused, but was not' };
    if (is !== 'loaded' && held.length > 0) return { wrong: `holds rows, but is ${is}` };
    if (isRefused)
      return attempts.at(-1)?.night === recovery.last && !isRight
        ? 'refused'
        : { wrong: 'was refused, but is right, or was not asked for again' };
    if (!isRight)
      return isExcused(slice, is) ? 'excused' : { wrong: `is ${is} and wrong, and nobody says so` };
    return truth.length > 0 ? 'right' : withoutRows(slice, is);
  };

  /** Of a slice for which the platform has no rows, and none are held. */
  function withoutRows({ day }: Slice, is: string) {
    if (is === 'empty') return 'empty';
    const wasAskedSeldom = day > addDays(recovery.last, 1 - nightsUntilBelieved);
    return is === 'pending' && wasAskedSeldom ? 'pending' : { wrong: `is without rows, but ${is}` };
  }

  /** Whether the last answer was wrong, came to its end, and gave no reason to ask again. */
  function isExcused(slice: Slice, is: string): boolean {
    const last = platform.attempts(slice.endpoint, slice.day).at(-1);
    if (last?.rows === undefined || slice.day >= addDays(recovery.first, -recovery.lookbackDays))
      return false;
    return last.rows.length > 0 ? is === 'loaded' : is === 'empty' && hasEvidence(slice);
  }

  function hasEvidence({ endpoint, day }: Slice): boolean {
    const without = (of: string) =>
      platform.attempts(of, day).filter(({ rows }) => rows !== undefined && rows.length === 0);
    const isOld = ({ night }: Attempt) => day < addDays(night, -daysUntilCounted);
    const saysNobody = ({ rows }: Attempt) => rows?.some((row) => row.daily_active_users === 0) === true;
    return (
      new Set(without(endpoint).map(({ night }) => night)).size >= nightsUntilBelieved ||
      (without(endpoint).some(isOld) &&
        endpoints.every((of) => without(of).length > 0 && heldBy({ endpoint: of, day }) === '')) ||
      (endpoint === 'users' && platform.attempts('activity', day).some(saysNobody))
    );
  }
}

/** The rows that must be held after these attempts, and whether the last answer must have been refused. */
function believed(slice: Slice, attempts: readonly Attempt[]) {
  let [held, isRefused]: [readonly Row[], boolean] = [[], false];
  for (const { rows } of attempts) {
    if (rows === undefined) continue;
    const shrinks = [...rowCounts(slice, held)].some(([table, before]) => {
      const lost = before - (rowCounts(slice, rows).get(table) ?? 0);
      return lost >= fewLost && lost > mostLostShare * before;
    });
    isRefused = held.length > 0 && (rows.length === 0 || shrinks);
    if (!isRefused) held = rows;
  }
  return { held, isRefused };
}

const counted = new WeakMap<readonly Row[], ReadonlyMap<string, number>>();

/** How many rows each table has where `rows` are said of a slice. */
function rowCounts(slice: Slice, rows: readonly Row[]): ReadonlyMap<string, number> {
  const known =
    counted.get(rows) ??
    new Map(Object.entries(warehouseOf(slice, rows)).map(([table, { length }]) => [table, length]));
  counted.set(rows, known);
  return known;
}

/** What the warehouse holds where rows are said of one slice. */
export function warehouseOf({ endpoint, day }: Slice, rows: readonly Row[]): Warehouse {
  return expectedWarehouse(organization, [{ endpoint, day, rows }]);
}

/** All rows of each slice as one text, in an order of their own. */
function rowsBySlice(warehouse: Warehouse): ReadonlyMap<string, string> {
  const lines = Object.entries(warehouse).flatMap(([table, rows]) =>
    rows.map((row) => ({
      slice: `${endpointOf[table]} ${row.usage_date}`,
      line: JSON.stringify([table, Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))]),
    })),
  );
  return new Map(
    [...Map.groupBy(lines, ({ slice }) => slice)].map(([slice, of]) => [
      slice,
      of
        .map(({ line }) => line)
        .sort()
        .join('\n'),
    ]),
  );
}
