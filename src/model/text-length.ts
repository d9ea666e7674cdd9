/** Texts whose length the platform bounds. */
import { z } from 'zod';

/**
 * A text of `shortest` to `longest` characters. Characters are Unicode code points, as JSON Schema counts them; zod by
 * itself counts the halves of an emoji.
 */
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
