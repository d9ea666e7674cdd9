/** Describes values in error messages. */
import { ExactNumber } from './json.ts';
import { UnparsedValue } from './unparsed-value.ts';

/** Most characters of a value in an error message. */
const mostShown = 60;

/** A value as an error message shows it, such as `null` or `a text of 80 characters`. */
export function describe(value: unknown): string {
  if (value instanceof UnparsedValue) return value.inWords;
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (value instanceof ExactNumber) return ifShort('number', value.text);
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number beyond the range of a double';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return ifShort(typeof value === 'string' ? 'text' : 'number', JSON.stringify(value));
}

/** The whole text or nothing: redaction cannot find a secret in a part of it. */
function ifShort(kind: string, text: string): string {
  return text.length > mostShown ? `a ${kind} of ${text.length} characters` : text;
}
