/** Asks the platform for its figures once more, grouped, and compares them with what is stored (platform-api.md §4.2). */
import type pg from 'pg';
import { ask, type Page } from '../extract/envelope.ts';
import type { Patience, PlatformClient } from '../extract/platform-client.ts';
import {
  CredentialsRefusedError,
  explain,
  RequestFailedError,
  UnexpectedAnswerError,
} from '../model/errors.ts';
import type { Door } from '../model/foreign-text.ts';
import type { ForgottenPersons } from '../model/forgotten-persons.ts';
import type { GroupedRow, Grouping } from '../model/grouping.ts';
import { parseJson, replaceUnstorableCharacters } from '../model/json.ts';
import type { OnRunEvent } from '../model/run.ts';
import { type Read, type Source, splitRead } from '../model/source.ts';
import { UnparsedValue } from '../model/unparsed-value.ts';
import type { CheckCounts } from '../model/verification.ts';
import { recordComparisons } from '../warehouse/checks/check-results.ts';
import { compareGrouped, type GroupedFigures } from '../warehouse/checks/grouped-figures.ts';
import { withSession } from '../warehouse/connection/connection.ts';
import { refuseOtherOrganization } from './receive/read-answers.ts';

/** A source that the platform can group. */
export type GroupedSource = Source & { readonly grouping: Grouping };

/** What comparing needs beside what to compare. */
export interface CompareContext {
  readonly pool: pg.Pool;
  readonly client: PlatformClient;
  readonly organizationId: string;
  readonly pageSize: number;
  readonly orgKey: number;
  readonly runId: string;
  readonly onEvent: OnRunEvent;
  readonly redact: Door;
  /** Who is forgotten is called in answers as in the warehouse. */
  readonly persons: ForgottenPersons;
  readonly signal: AbortSignal;
  /** Hears of every window that was compared. */
  readonly onCompared: (source: Source, counts: CheckCounts, rowsRead: number) => void;
  /** Tells that a window was too large and what size is to be used from now on. */
  readonly onWindowSplit: (source: Source, windowDays: number) => void;
}

/** Whether the platform can group the figures of a source. */
export function isGrouped(source: Source): source is GroupedSource {
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
export async function compareRead(context: CompareContext, read: Read, patience: Patience): Promise<boolean> {
  const { source, slices } = read;
  if (!isGrouped(source)) return true;
  const keys = slices.map(({ key }) => key);
  const request = source.partitioning.first(keys, context.pageSize);
  const { days: range } = request;
  if (range === undefined) return true;
  const name = groupedCheckName(source);
  try {
    const page = await ask(
      context.client,
      source.envelope,
      { ...request, query: { ...request.query, group_by: source.grouping.groupBy } },
      { ...patience, ...(slices.length > 1 ? { maxRetriesIfTooLarge: 1 } : {}) },
    );
    refuseOtherOrganization(page, context.organizationId);
    // Such an answer has no pages: rows would be lost unnoticed.
    source.partitioning.next(page, new Set());
    const comparisons = compareGrouped(
      { endpoint: source.name, ...source.grouping },
      figuresOf(page, source.grouping, new Set(keys), context),
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
    if (halves !== undefined) return compareHalves(context, halves, slices.length, patience, explain(error));
    const reason = context.redact(explain(error));
    context.onEvent({ type: 'check-failed', check: name, part: `${range.from} to ${range.to}`, reason });
    return !(error instanceof RequestFailedError);
  }
}

/** The largest span is not documented (platform-api.md §8): what was too large is asked again in halves. */
async function compareHalves(
  context: CompareContext,
  halves: readonly Read[],
  days: number,
  patience: Patience,
  reason: string,
): Promise<boolean> {
  let answered = true;
  for (const [index, half] of halves.entries()) {
    const { source, slices } = half;
    if (index === 0) {
      const [endpoint, newDays] = [source.name, slices.length];
      context.onEvent({ type: 'window-split', endpoint, days, newDays, reason: context.redact(reason) });
      context.onWindowSplit(source, newDays);
    }
    answered = (await compareRead(context, half, patience)) && answered;
  }
  return answered;
}

/** A longer row is not parsed: it has a name and a few figures, and a name of that length is none. */
const mostBytesOfRow = 1024 * 1024;
const mostOfGroup = 200;

/** The figures of an answer in columns. Throws `UnexpectedAnswerError` for a row that is not as documented. */
function figuresOf(
  page: Page,
  grouping: Grouping,
  days: ReadonlySet<string>,
  { persons, redact }: Pick<CompareContext, 'persons' | 'redact'>,
): GroupedFigures {
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
  const groups = rows.map(({ group_key }) => persons.inText(group_key));
  return {
    days: rows.map(({ date }) => date),
    groups,
    groupsShown: groups.map((group) => redact(group, mostOfGroup)),
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
