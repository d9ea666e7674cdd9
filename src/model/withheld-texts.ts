/**
 * Records without the texts that people and agents wrote, for those who want none stored (`SESSION_TEXT=none`). Works on
 * bytes, before anything is parsed, compressed or kept.
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
/** Stands for a field whose name may be a text. */
const hiddenName = '…';

/** What takes the texts out of an answer of a source; undefined for a source without any that may not be kept. */
export function withholdingOf({
  envelope,
  schema,
  hasPrivateTexts = false,
}: Pick<Source, 'envelope' | 'schema' | 'hasPrivateTexts'>): ((answer: Buffer) => Buffer) | undefined {
  return hasPrivateTexts ? (answer) => withoutTexts(answer, envelope.records, schema) : undefined;
}

/**
 * The same JSON text with other records: those in `field` of the object, or of each object in the array, that `json` is. Of
 * texts only those stay whose field in `schema` keeps them; any other becomes the number of its code points, also in
 * fields that the schema does not know. Lists and objects that the schema does not know come back empty, and names of
 * fields that are no words are hidden. What is done already is not changed. Throws `SyntaxError` for what is not JSON.
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

/** Copies a text but for what is replaced, from its beginning to its end. */
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

  /** A value whose place in the schema has this type; undefined where the schema does not know it. */
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
      // Still a text, so that it is refused where no text belongs.
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

/** What becomes of a text where the schema has this type. */
function textIn(type: unknown): TextIn {
  if (type === undefined) return 'counted';
  const isScalar = type instanceof z.ZodType && !containers.some((container) => type instanceof container);
  return isScalar ? kindOf(type).textIn : 'out of place';
}
