/** Asks the platform for its figures once more, grouped, and compares them with what is stored (platform-api.md §4.2). */
import type pg from 'pg';
import { readWindow } from '../extract/analytics.ts';
import type { Page } from '../extract/envelope.ts';
import type { Patience, PlatformClient } from '../extract/platform-client.ts';
import type { Day } from '../model/day.ts';
import {
  CredentialsRefusedError,
  explain,
  RequestFailedError,
  UnexpectedAnswerError,
} from '../model/errors.ts';
import type { Door } from '../model/foreign-text.ts';
import type { GroupedRow, Grouping } from '../model/grouping.ts';
import { parseJson, replaceUnstorableCharacters } from '../model/json.ts';
import type { OnRunEvent } from '../model/run.ts';
import type { DailySource } from '../model/source.ts';
import { UnparsedValue } from '../model/unparsed-value.ts';
import type { CheckCounts } from '../model/verification.ts';
import { recordComparisons } from '../warehouse/checks/check-results.ts';
import { compareGrouped, type GroupedFigures } from '../warehouse/checks/grouped-figures.ts';
import { withSession } from '../warehouse/connection/connection.ts';
import { type PlannedRead, splitRead } from './plan.ts';

/** A source that the platform can group. */
export type GroupedSource = DailySource & { readonly grouping: Grouping };

/** What comparing needs beside what to compare. */
export interface CompareContext {
  readonly pool: pg.Pool;
  readonly client: PlatformClient;
  readonly organizationId: string;
  readonly orgKey: number;
  readonly runId: string;
  readonly onEvent: OnRunEvent;
  readonly redact: Door;
  readonly signal: AbortSignal;
  /** Hears of every window that was compared. */
  readonly onCompared: (source: DailySource, counts: CheckCounts, rowsRead: number) => void;
  /** Tells that a window was too large and what size is to be used from now on. */
  readonly onWindowSplit: (source: DailySource, windowDays: number) => void;
}

/** Whether the platform can group the figures of a source. */
export function isGrouped(source: DailySource): source is GroupedSource {
  return source.grouping !== undefined;
}

/** Name of the check that compares the grouped figures of a source. */
export function groupedCheckName({ name, grouping }: GroupedSource): string {
  return `${name}_group_by_${grouping.groupBy}`;
}

/**
 * Compares the days of one read; says whether the platform answered. A window that fails is reported and left.
 * Throws only what must stop the whole run: refused credentials, and the abort of the run.
 */
export async function compareRead(
  context: CompareContext,
  read: PlannedRead,
  patience: Patience,
): Promise<boolean> {
  const { source, days } = read;
  const [from, to] = [days[0], days.at(-1)];
  if (!isGrouped(source) || from === undefined || to === undefined) return true;
  const range = { from, to };
  const name = groupedCheckName(source);
  try {
    const page = await readWindow(
      context.client,
      source.path,
      range,
      { ...patience, ...(days.length > 1 ? { maxRetriesIfTooLarge: 1 } : {}) },
      { group_by: source.grouping.groupBy },
    );
    refuseOtherOrganization(context, page);
    const comparisons = compareGrouped(
      { endpoint: source.name, ...source.grouping },
      figuresOf(page, source.grouping, new Set(days), context.redact),
    );
    const { runId, orgKey } = context;
    const counts = await withSession(context.pool, (session) =>
      recordComparisons(session, { runId, orgKey, range, name }, comparisons),
    );
    context.onCompared(source, counts, page.records.length);
    return true;
  } catch (error) {
    if (error instanceof CredentialsRefusedError) throw error;
    context.signal.throwIfAborted();
    const halves = error instanceof RequestFailedError && error.smallerMayWork ? splitRead(read) : undefined;
    if (halves !== undefined) return compareHalves(context, halves, days, patience, explain(error));
    const reason = context.redact(explain(error));
    context.onEvent({ type: 'check-failed', check: name, part: `${from} to ${to}`, reason });
    return !(error instanceof RequestFailedError);
  }
}

/** The largest span is not documented (platform-api.md §8): what was too large is asked again in halves. */
async function compareHalves(
  context: CompareContext,
  halves: readonly [PlannedRead, PlannedRead],
  days: readonly Day[],
  patience: Patience,
  reason: string,
): Promise<boolean> {
  const { source, days: ofHalf } = halves[0];
  context.onEvent({
    type: 'window-split',
    endpoint: source.name,
    days: days.length,
    newDays: ofHalf.length,
    reason: context.redact(reason),
  });
  context.onWindowSplit(source, ofHalf.length);
  const first = await compareRead(context, halves[0], patience);
  return (await compareRead(context, halves[1], patience)) && first;
}

/** A longer row is not parsed: it has a name and a few figures, and a name of that length is none. */
const mostBytesOfRow = 1024 * 1024;
const mostOfGroup = 200;

/** The figures of an answer in columns. Throws `UnexpectedAnswerError` for a row that is not as documented. */
function figuresOf(page: Page, grouping: Grouping, days: ReadonlySet<string>, redact: Door): GroupedFigures {
  const rows = page.records.map((extent) => {
    const { start, end, isTooDeep = false } = extent;
    if (isTooDeep || end - start > mostBytesOfRow)
      throw new UnexpectedAnswerError(
        `expected rows of group_by=${grouping.groupBy} as documented, got ${new UnparsedValue(page.bytes, extent).inWords}`,
      );
    return parseRow(page.bytes.toString('utf8', start, end), grouping, days);
  });
  const columns = Object.entries(grouping.figures).map(
    ([column, field]) => [column, rows.map((row) => decimalText(row[field]))] as const,
  );
  return {
    days: rows.map(({ date }) => date),
    groups: rows.map(({ group_key }) => group_key),
    groupsShown: rows.map(({ group_key }) => redact(group_key, mostOfGroup)),
    figures: Object.fromEntries(columns),
  };
}

function parseRow(text: string, { row: schema, groupBy }: Grouping, days: ReadonlySet<string>): GroupedRow {
  const { value } = parseJson(text);
  // As in loading, or a name that was stored with a replaced character would be missing on one side.
  const clean = replaceUnstorableCharacters(value, () => undefined);
  const parsed = schema.safeParse(clean);
  if (!parsed.success)
    throw new UnexpectedAnswerError(
      `expected rows of group_by=${groupBy} as documented; ${parsed.error.issues
        .slice(0, 3)
        .map((issue) => `${issue.path.join('.') || 'the row'}: ${issue.message}`)
        .join('; ')}`,
    );
  if (!days.has(parsed.data.date))
    throw new UnexpectedAnswerError(
      `expected rows of the days asked for with group_by=${groupBy}, got one of ${JSON.stringify(parsed.data.date)}`,
    );
  return parsed.data;
}

function decimalText(value: GroupedRow[string]): string | null {
  return value === null || value === undefined ? null : String(value);
}

function refuseOtherOrganization({ organizationId }: CompareContext, page: Page): void {
  if (page.organizationId !== organizationId)
    throw new UnexpectedAnswerError(
      `the answer is of organization ${JSON.stringify(page.organizationId)}, the run of ${JSON.stringify(organizationId)}`,
    );
}
