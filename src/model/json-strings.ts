/** Replaces strings of a JSON text without parsing it, so that numbers keep all digits. */

const [quote, backslash, colon, openBrace, closeBrace] = [0x22, 0x5c, 0x3a, 0x7b, 0x7d];

/** The role of a string in an object: id of its owner, e-mail address of its owner, or neither. */
export type Position = 'id' | 'address' | undefined;

/** The owner of an object: the values of its two owner fields. A field that is missing or no text is undefined. */
export interface Owner {
  readonly id: string | undefined;
  readonly address: string | undefined;
}

/** Decides about the strings of a JSON text. */
export interface StringsVisitor {
  /** Names of the two owner fields. */
  readonly ownerFields: { readonly id: string; readonly address: string };
  /** Returns the replacement of a string (a field name or a value); the string itself when it stays. */
  readonly replace: (text: string, position: Position) => string;
  /** Whether the replacement of a string depends on the owner of its object. That of the owner's address always does. */
  readonly dependsOnOwner: (text: string) => boolean;
  /**
   * Called for each object with an id, inner objects first. Returns the replacement for its strings that depend on the
   * owner; null writes `null`. An object without an id belongs to the owner of the object around it.
   */
  readonly replaceOf: (
    owner: Owner & { readonly id: string },
  ) => (text: string, position: Position) => string | null;
}

/** A string whose owner is not known yet. */
interface Held {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly position: Position;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string | null;
}

interface OpenObject {
  id: string | undefined;
  address: string | undefined;
  /** The strings in the address field of this object. */
  readonly addresses: Held[];
  /** Strings that depend on the owner, in this object and in objects within it. */
  held: Held[];
}

/** The JSON text with its strings replaced, at any depth. Invalid JSON comes back in some form. */
export function replaceStrings(json: string, visitor: StringsVisitor): string {
  const { ownerFields, replace, dependsOnOwner, replaceOf } = visitor;
  const edits: Edit[] = [];
  const objects: OpenObject[] = [];
  let field = '';
  const settle = (
    { start, end, text, position }: Held,
    replaced: (text: string, position: Position) => string | null,
  ) => {
    const after = replaced(text, position);
    if (after !== text) edits.push({ start, end, text: after });
  };
  const close = ({ id, address, addresses, held }: OpenObject) => {
    if (id !== undefined) {
      const replaced = replaceOf({ id, address });
      for (const string of [...addresses, ...held]) settle(string, replaced);
      return;
    }
    const around = objects.at(-1);
    // The object has an address and no id: the address may belong to the owner of the object around it.
    for (const string of addresses)
      if (around !== undefined && dependsOnOwner(string.text)) held.push({ ...string, position: undefined });
      else settle(string, replace);
    if (around === undefined) for (const string of held) settle(string, replace);
    else around.held = together(around.held, held);
  };
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === openBrace) objects.push({ id: undefined, address: undefined, addresses: [], held: [] });
    else if (code === closeBrace) {
      const closed = objects.pop();
      if (closed !== undefined) close(closed);
    } else if (code === quote) {
      const end = endOfString(json, at);
      const text = textOf(json, at, end);
      const isName = followedByColon(json, end);
      const object = objects.at(-1);
      const position = isName ? undefined : positionOf(field, ownerFields);
      field = isName ? text : '';
      if (object !== undefined && position !== undefined) object[position] = text;
      const string = { start: at, end, text, position };
      if (object !== undefined && position === 'address') object.addresses.push(string);
      else if (object !== undefined && dependsOnOwner(text)) object.held.push(string);
      else settle(string, replace);
      at = end - 1;
    }
  }
  // Invalid JSON may end early.
  for (let open = objects.pop(); open !== undefined; open = objects.pop()) close(open);
  return edited(json, edits);
}

/** Merges both lists, in any order. Moves the shorter one, because objects may be nested without limit. */
function together(some: Held[], others: Held[]): Held[] {
  const [longer, shorter] = some.length < others.length ? [others, some] : [some, others];
  for (const string of shorter) longer.push(string);
  return longer;
}

function positionOf(field: string, { id, address }: StringsVisitor['ownerFields']): Position {
  if (field === id) return 'id';
  return field === address ? 'address' : undefined;
}

function edited(json: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return json;
  const parts: string[] = [];
  let written = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(json.slice(written, start), JSON.stringify(text));
    written = end;
  }
  return parts.join('') + json.slice(written);
}

/** Calls `onOwner` for every object with an id. */
export function readOwners(
  json: string,
  ownerFields: StringsVisitor['ownerFields'],
  onOwner: (owner: Owner & { readonly id: string }) => void,
): void {
  const same = (text: string) => text;
  replaceStrings(json, {
    ownerFields,
    replace: same,
    dependsOnOwner: () => false,
    replaceOf(owner) {
      onOwner(owner);
      return same;
    },
  });
}

/** The end of the string at `start`, closing quote included. */
export function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
  return json.length;
}

function textOf(json: string, start: number, end: number): string {
  const inside = json.slice(start + 1, end - 1);
  if (!inside.includes('\\')) return inside;
  try {
    return String(JSON.parse(json.slice(start, end)));
  } catch {
    return inside;
  }
}

/** Whether the string that ends at `end` is a field name. */
export function followedByColon(json: string, end: number): boolean {
  let at = end;
  for (let code = json.charCodeAt(at); code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09; )
    code = json.charCodeAt(++at);
  return json.charCodeAt(at) === colon;
}
