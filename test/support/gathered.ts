/** The content of a slice, gathered from records that a test writes. */
import { createSliceContent, type Misplaced, type SliceContent } from '../../src/flatten/slice-content.ts';
import { createSanitizer } from '../../src/model/sanitize.ts';
import { sourceOf } from './samples.ts';

/** Tells for any record that it belongs to the slice. */
export const anywhere = (): Misplaced | undefined => undefined;

/** Gathers records of an endpoint as one slice. */
export function gather(endpoint: string, ...records: readonly unknown[]): SliceContent {
  const content = createSliceContent(sourceOf(endpoint), createSanitizer([]));
  for (const record of records)
    content.add({ records: [record], mayHoldUnstorableCharacters: false }, anywhere);
  return content;
}
