/** Asks the platform for grouped figures, and compares them with the stored figures (platform-api.md §4.2). */
import type pg from 'pg';
import type { RequestOptions } from '../../extract/api-request.ts';
import { ask, type Page } from '../../extract/envelope.ts';
import type { PlatformClient } from '../../extract/platform-client.ts';
import { UnexpectedAnswerError } from '../../model/errors.ts';
import type { ForgottenPersons } from '../../model/forgotten-persons.ts';
import type { GroupedRow, Grouping } from '../../model/grouping.ts';
import { parseJson, replaceUnstorableCharacters } from '../../model/json.ts';
import type { Read, Source } from '../../model/source.ts';
import { UnparsedValue } from '../../model/unparsed-value.ts';
import type { CheckCounts } from '../../model/verification.ts';
import { recordComparisons } from '../../warehouse/checks/check-results.ts';
import { compareGrouped, type GroupedFigures } from '../../warehouse/checks/grouped-figures.ts';
import { withTransaction } from '../../warehouse/connection/connection.ts';
import { refuseOtherOrganization } from '../receive/read-answers.ts';
import { type AskingDays, compareInHalves } from './compare-in-halves.ts';

/** A source that the platform can group. */
export type GroupedSource = Source & { readonly grouping: Grouping };

/** What a comparison needs. */
export interface CompareContext extends AskingDays {
  readonly pool: pg.Pool;
  readonly client: PlatformClient;
  readonly organizationId: string;
  readonly pageSize: number;
  readonly orgKey: number;
  readonly runId: string;
  /** Replaces forgotten persons in answers by their pseudonyms, so that they match the warehouse. */
  readonly persons: ForgottenPersons;
  /** Called with the counts of every window that was compared, and the name of the check. */
  readonly onCompared: (check: string, counts: CheckCounts, rowsRead: number) => void;
}

/** Whether the platform can group the figures of a source. */
export function isGrouped(source: Source): source is GroupedSource {
  return source.grouping !== undefined;
}

/** The name of the check that compares the grouped figures of a source. */
export function groupedCheckName({ name, grouping }: GroupedSource): string {
  return `${name}_group_by_${grouping.groupBy}`;
}

/** Compares the days of one read with the grouped figures of the platform; see `compareInHalves`. */
export async function compareRead(
  context: CompareContext,
  read: Read,
  requestOptions: RequestOptions,
): Promise<boolean> {
  const { source } = read;
  if (!isGrouped(source)) return true;
  return compareInHalves(context, groupedCheckName(source), read, requestOptions, (part, optionsOfPart) =>
    compareGroups(context, source, part, optionsOfPart),
  );
}

async function compareGroups(
  context: CompareContext,
  source: GroupedSource,
  { slices }: Read,
  requestOptions: RequestOptions,
): Promise<void> {
  const keys = slices.map(({ key }) => key);
  const request = source.partitioning.first(keys, context.pageSize);
  const { days: range } = request;
  if (range === undefined) return;
  const name = groupedCheckName(source);
  const page = await ask(
    context.client,
    source.envelope,
    { ...request, query: { ...request.query, group_by: source.grouping.groupBy } },
    requestOptions,
  );
  refuseOtherOrganization(page, context.organizationId);
  // A grouped answer has only one page: this throws if it names a next one, whose rows would be missing.
  source.partitioning.next(page, new Set());
  const comparisons = compareGrouped(
    { endpoint: source.name, ...source.grouping },
    figuresOf(page, source.grouping, new Set(keys), context),
  );
  const { runId, orgKey } = context;
  const counts = await withTransaction(context.pool, (session) =>
    recordComparisons(session, { runId, orgKey, range, name }, comparisons),
  );
  context.onCompared(name, counts, page.records.length);
}

/** Most bytes of a row that is parsed. A documented row has only a name and a few figures. */
const mostBytesOfRow = 1024 * 1024;
const mostOfGroup = 200;

/**
 * The figures of an answer, by column. Throws `UnexpectedAnswerError` for a row that is not as documented.
 */
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
  // Replace characters as a load does: a stored name with a replaced character must match.
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
