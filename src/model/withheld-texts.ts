/**
 * Removes from records the texts that people and agents wrote (`SESSION_TEXT=none`). It works on bytes, before anything is
 * parsed, compressed or stored.
 */
import { z } from 'zod';
import { kindOf, type TextIn } from './field-kind.ts';
import { isWord } from './fields.ts';
import {
  type Extent,
  isArrayAt,
  isObjectAt,
  isTextAt,
  scanFields,
  scanItems,
  scanText,
  textAt,
} from './json-scan.ts';
import type { Source } from './source.ts';
import { countCodePoints } from './text-length.ts';

const containers = [z.ZodObject, z.ZodArray, z.ZodRecord];
/** Replaces the name of an unknown field: the name may be a text that somebody wrote. */
const hiddenName = '…';

/** Returns the function that removes the texts from an answer of a source; undefined for a source without private texts. */
export function withholdingOf({
  envelope,
  schema,
  hasPrivateTexts = false,
}: Pick<Source, 'envelope' | 'schema' | 'hasPrivateTexts'>): ((answer: Buffer) => Buffer) | undefined {
  return hasPrivateTexts ? (answer) => withoutTexts(answer, envelope.records, schema) : undefined;
}

/**
 * Removes the texts from the records of an answer. `json` is an object with the records in its field `field`, or an array
 * of such objects. A text stays only if `schema` says so for its field. Any other text is replaced by the number of its
 * code points, also in unknown fields. Unknown lists and objects become empty, and names of unknown fields that are not
 * one word are hidden. A second call changes nothing. Throws `SyntaxError` when `json` is not JSON.
 */
export function withoutTexts(json: Buffer, field: string, schema: z.ZodObject): Buffer {
  const rewriting = new Rewriting(json);
  const { start } = scanText(json);
  const answers = isArrayAt(json, start) ? [...scanItems(json, start)] : [{ start }];
  for (const answer of answers)
    if (isObjectAt(json, answer.start))
      for (const { name, value } of scanFields(json, answer.start))
        if (name === field) rewriting.value(value, z.array(schema));
  return rewriting.finish();
}

/** Copies a text with replacements, from its beginning to its end. */
class Rewriting {
  readonly #json: Buffer;
  readonly #parts: Buffer[] = [];
  #copied = 0;

  constructor(json: Buffer) {
    this.#json = json;
  }

  finish(): Buffer {
    if (this.#parts.length === 0) return this.#json;
    return Buffer.concat([...this.#parts, this.#json.subarray(this.#copied)]);
  }

  /** Rewrites a value. `type` is its type in the schema; undefined for a field that the schema does not have. */
  value(extent: Extent, type: unknown): void {
    const { start } = extent;
    const known = withoutAbsence(type);
    if (known instanceof z.ZodObject && isObjectAt(this.#json, start)) this.#object(extent, known);
    else if (known instanceof z.ZodArray && isArrayAt(this.#json, start))
      for (const item of scanItems(this.#json, start)) this.value(item, known.element);
    else this.#plain(extent, textIn(known));
  }

  #object({ start }: Extent, schema: z.ZodObject): void {
    for (const { name, start: nameStart, value } of scanFields(this.#json, start)) {
      const type: unknown = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      if (type === undefined && !isWord(name))
        this.#replace({ start: nameStart, end: value.start }, `${JSON.stringify(hiddenName)}:`);
      this.value(value, type);
    }
  }

  #plain(extent: Extent, texts: TextIn): void {
    const { start, end } = extent;
    if (isArrayAt(this.#json, start)) this.#replace(extent, '[]');
    else if (isObjectAt(this.#json, start)) this.#replace(extent, '{}');
    else if (isTextAt(this.#json, start)) {
      const text = textAt(this.#json, start, end);
      if (texts === 'counted') this.#replace(extent, String(countCodePoints(text)));
      // The schema refuses an empty text here as it refuses any text.
      else if (texts === 'out of place') this.#replace(extent, '""');
      else if (texts === 'word' && !isWord(text)) this.#replace(extent, 'null');
    }
  }

  #replace({ start, end }: Extent, by: string): void {
    this.#parts.push(this.#json.subarray(this.#copied, start), Buffer.from(by));
    this.#copied = end;
  }
}

function withoutAbsence(type: unknown): unknown {
  return type instanceof z.ZodOptional || type instanceof z.ZodNullable
    ? withoutAbsence(type.unwrap())
    : type;
}

/** How a text is treated in a field of this type. */
function textIn(type: unknown): TextIn {
  if (type === undefined) return 'counted';
  const isScalar = type instanceof z.ZodType && !containers.some((container) => type instanceof container);
  return isScalar ? kindOf(type).textIn : 'out of place';
}
