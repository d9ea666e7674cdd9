/** Reads from the answers of one source how many records another source has for a day. */
import type { OnRunEvent } from '../../model/run.ts';
import type { Source } from '../../model/source.ts';
import type { Table } from '../../model/table.ts';
import type { Receipt } from './receipt.ts';

/** Most bytes of a slice that is read for its figures; a documented slice has less than a kilobyte. */
const mostBytes = 64 * 1024;

/**
 * Reports how many records `sources` have for the days in `receipts` (`Source.recordsOfDay`). Only the estimate of the time
 * needs these numbers, so records that are not as documented are skipped here: the load reports them.
 */
export async function tellRecordsOfDays(
  sources: readonly Source[],
  received: Source,
  receipts: readonly Receipt[],
  onEvent: OnRunEvent,
): Promise<void> {
  for (const { name, recordsOfDay } of sources) {
    if (recordsOfDay?.table !== received.root) continue;
    const field = fieldOf(recordsOfDay.table, recordsOfDay.column);
    const records = new Map<string, number>();
    for (const receipt of receipts) {
      if (receipt.bytes > mostBytes) continue;
      const figure = await figureIn(receipt, field);
      if (figure !== undefined) records.set(receipt.slice.key, figure);
    }
    if (records.size > 0) onEvent({ type: 'records-known', endpoint: name, records });
  }
}

/** The field that a column stores. */
function fieldOf({ columns }: Table, column: string): string {
  return columns.find((each) => each.column === column)?.fields[0] ?? column;
}

/** The sum of a field over the records of a slice; undefined if the field has no number in any record. */
async function figureIn(receipt: Receipt, field: string): Promise<number | undefined> {
  let sum: number | undefined;
  for await (const segments of receipt.chunks())
    for (const { bytes, isTooDeep = false } of segments) {
      const records: unknown = isTooDeep ? [] : JSON.parse(`[${bytes.toString('utf8')}]`);
      for (const record of Array.isArray(records) ? records : []) {
        const figure: unknown = Object(record)[field];
        if (typeof figure === 'number' && figure >= 0) sum = (sum ?? 0) + figure;
      }
    }
  return sum;
}
