/** Flattens receipts: at once, or chunk by chunk if a slice is large. */

import { parseRecords } from '../../flatten/parse-records.ts';
import type { FlatRows } from '../../flatten/pending-rows.ts';
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
  /** Counts, drift and rejections of the records; still empty for a large slice. */
  readonly content: SliceContent;
  /** All rows of the slice; undefined for a large slice. */
  readonly flattened: FlatRows | undefined;
  /** Number of rows in `flattened`. */
  readonly rows: number;
}

/**
 * Flattens a receipt, unless it is large. `redact` sanitizes texts that are stored or shown. Throws `SyntaxError` if
 * a record is not JSON.
 */
export async function flattenReceipt(receipt: Receipt, redact: Sanitizer): Promise<FlatSlice> {
  const content = createSliceContent(receipt.source, redact);
  if (receipt.isLarge) return { receipt, content, flattened: undefined, rows: 0 };
  for await (const segments of receipt.chunks()) addSegments(content, receipt, segments);
  const flattened = content.takeRows();
  return { receipt, content, flattened, rows: flattened.rows.reduce((sum, { length }) => sum + length, 0) };
}

/** The rows of a large receipt, chunk by chunk; adds counts and drift to `content`. */
export async function* flattenChunks(receipt: Receipt, content: SliceContent): AsyncGenerator<FlatRows> {
  for await (const segments of receipt.chunks()) {
    addSegments(content, receipt, segments);
    yield content.takeRows();
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

/** Says why a record does not belong to the slice; undefined if it does. */
function misplacedIn(asked: string, { partitioning }: Source, record: unknown): Misplaced | undefined {
  const { keyField } = partitioning;
  // An unparsed value has no readable key; flattening rejects it.
  if (keyField === undefined || record instanceof UnparsedValue) return undefined;
  const reported = textField(record, keyField);
  if (reported === asked) return undefined;
  const got = reported === undefined ? 'one without' : `one of ${describe(reported)}`;
  return {
    reason: `${keyField}: expected a row of ${asked}, as in the request, got ${got}`,
    isOfAnother: reported !== undefined && partitioning.isKey(reported),
  };
}

function textField(record: unknown, field: string): string | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const value: unknown = Reflect.get(record, field);
  return typeof value === 'string' ? value : undefined;
}
