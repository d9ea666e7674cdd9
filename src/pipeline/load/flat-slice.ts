/** Makes rows of receipts: at once, or portion by portion where a slice has more than one. */

import { parseRecords } from '../../flatten/parse-records.ts';
import type { Batch } from '../../flatten/pending-rows.ts';
import { createSliceContent, type Misplaced, type SliceContent } from '../../flatten/slice-content.ts';
import { describe } from '../../model/describe-value.ts';
import type { RecordSegment } from '../../model/record-chunk.ts';
import type { Sanitizer } from '../../model/sanitize.ts';
import type { Source } from '../../model/source.ts';
import { UnparsedValue } from '../../model/unparsed-value.ts';
import type { Receipt } from '../receive/receipt.ts';

/** A slice on its way into the warehouse. */
export interface FlatSlice {
  readonly receipt: Receipt;
  /** What was found in its records. For a large slice nothing yet. */
  readonly content: SliceContent;
  /** All of its rows; undefined for a large slice. */
  readonly batch: Batch | undefined;
  /** Rows in `batch`. */
  readonly rows: number;
}

/** Flattens a receipt, unless it is large. What is kept or shown of it passes `redact`. Throws `SyntaxError` when a record is not JSON. */
export async function flattenReceipt(receipt: Receipt, redact: Sanitizer): Promise<FlatSlice> {
  const content = createSliceContent(receipt.source, redact);
  if (receipt.isLarge) return { receipt, content, batch: undefined, rows: 0 };
  for await (const segments of receipt.portions()) addSegments(content, receipt, segments);
  const batch = content.takeBatch();
  return { receipt, content, batch, rows: batch.rows.reduce((sum, { length }) => sum + length, 0) };
}

/** The rows of a large receipt, portion by portion; what is found in its records is added to `content`. */
export async function* flattenPortions(receipt: Receipt, content: SliceContent): AsyncGenerator<Batch> {
  for await (const segments of receipt.portions()) {
    addSegments(content, receipt, segments);
    yield content.takeBatch();
  }
}

function addSegments(
  content: SliceContent,
  { source, slice }: Receipt,
  segments: readonly RecordSegment[],
): void {
  const misplaced = (record: unknown) => misplacedIn(slice.key, source, record);
  for (const segment of segments) for (const parsed of parseRecords(segment)) content.add(parsed, misplaced);
}

/** Why a record is not of the slice that was asked for. */
function misplacedIn(asked: string, { partitioning }: Source, record: unknown): Misplaced | undefined {
  const { keyField } = partitioning;
  // What is no record is rejected as that.
  if (keyField === undefined || record instanceof UnparsedValue) return undefined;
  const reported = textOf(record, keyField);
  if (reported === asked) return undefined;
  const got = reported === undefined ? 'one without' : `one of ${describe(reported)}`;
  return {
    reason: `${keyField}: expected a row of ${asked}, which was asked for, got ${got}`,
    isOfAnother: reported !== undefined && partitioning.isKey(reported),
  };
}

function textOf(record: unknown, field: string): string | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const value: unknown = Reflect.get(record, field);
  return typeof value === 'string' ? value : undefined;
}
