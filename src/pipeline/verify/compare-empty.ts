/** Asks the platform again about days that the ledger calls empty. A row for such a day is a contradiction. */
import type { RequestOptions } from '../../extract/api-request.ts';
import { RequestFailedError } from '../../model/errors.ts';
import type { Read } from '../../model/source.ts';
import { recordComparisons } from '../../warehouse/checks/check-results.ts';
import { compareEmptyDays } from '../../warehouse/checks/empty-day-rows.ts';
import { withTransaction } from '../../warehouse/connection/connection.ts';
import { readAnswers } from '../receive/read-answers.ts';
import type { CompareContext } from './compare-grouped.ts';
import { compareInHalves } from './compare-in-halves.ts';

/** The name of the check that asks about empty days. */
export const emptyDaysCheck = 'empty_days';

/** Records per page: one record of a day is enough for a contradiction. */
const pageSize = 1;

/** Compares the empty days of one read with the rows that the platform has now; see `compareInHalves`. */
export function compareEmpty(
  context: CompareContext,
  read: Read,
  requestOptions: RequestOptions,
): Promise<boolean> {
  return compareInHalves(context, emptyDaysCheck, read, requestOptions, async (part, optionsOfPart) => {
    const { source, slices } = part;
    const days = slices.map(({ key }) => key);
    const { days: range } = source.partitioning.first(days, pageSize);
    if (range === undefined) return;
    const rows = await rowsByDay(context, part, optionsOfPart);
    const comparisons = compareEmptyDays(
      source.name,
      days,
      days.map((day) => rows.get(day) ?? 0),
    );
    const { runId, orgKey } = context;
    const counts = await withTransaction(context.pool, (session) =>
      recordComparisons(session, { runId, orgKey, range, name: emptyDaysCheck }, comparisons),
    );
    context.onCompared(
      emptyDaysCheck,
      counts,
      [...rows.values()].reduce((sum, number) => sum + number, 0),
    );
  });
}

/**
 * The number of records for each day of a read, up to the first page with records. Of a read with one day, records with
 * another day do not count, as in a load. For a read with several days, throws `RequestFailedError` at a record with
 * another day, so that smaller reads are tried.
 */
async function rowsByDay(
  context: CompareContext,
  read: Read,
  requestOptions: RequestOptions,
): Promise<ReadonlyMap<string, number>> {
  const { source, slices } = read;
  const { keyField } = source.partitioning;
  const rows = new Map<string, number>();
  for await (const page of readAnswers({ ...context, pageSize }, read, requestOptions)) {
    const days = keyField === undefined ? page.records.map(() => slices[0].key) : page.texts(keyField);
    for (const day of days) {
      if (day !== undefined && slices.some(({ key }) => key === day)) rows.set(day, (rows.get(day) ?? 0) + 1);
      else if (slices.length > 1)
        throw new RequestFailedError('a row has none of the requested days', {
          status: 200,
          smallerMayWork: true,
        });
    }
    if (rows.size > 0) break;
  }
  return rows;
}
