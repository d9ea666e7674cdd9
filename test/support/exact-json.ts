/** Reads payloads without rounding, independently of how the program reads JSON. */

/** A number with exactly the digits of the JSON text. */
export class WrittenNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Reads the JSON text of `value`, with every number as a `WrittenNumber`. */
export function exactJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, item: unknown, { source }) =>
    typeof item === 'number' ? new WrittenNumber(source ?? String(item)) : item,
  );
}

/** A number for a payload that a JavaScript number cannot hold, such as `9007199254740993`. */
export function writtenAs(digits: string): unknown {
  if (JSON.rawJSON === undefined) throw new TypeError('this Node cannot write numbers digit by digit');
  return JSON.rawJSON(digits);
}

/** The fields of an object; throws for anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`expected an object, got ${JSON.stringify(value)}`);
  return Object.fromEntries(Object.entries(value));
}

/** The items of a list; none when it is absent or null. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
