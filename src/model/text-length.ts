/** Lengths of texts in Unicode code points, as in JSON Schema. */
import { z } from 'zod';

/** A text of `shortest` to `longest` code points. Zod itself counts UTF-16 units, two for an emoji. */
export function textOfLength(shortest: number, longest: number) {
  return z
    .string()
    .refine(
      (text) => {
        const { length } = [...text];
        return length >= shortest && length <= longest;
      },
      { error: `expected a text of ${shortest} to ${longest} characters` },
    )
    .meta({ minLength: shortest, maxLength: longest });
}

/** Number of code points in a text; an unpaired surrogate counts as one. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index + 1 < text.length; index++) {
    const [unit, next] = [text.charCodeAt(index), text.charCodeAt(index + 1)];
    if (unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}
