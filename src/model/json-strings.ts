/** Looks at the strings of a JSON text without parsing it: figures stay digit for digit what they are. */

const [quote, backslash, colon, openBrace, closeBrace] = [0x22, 0x5c, 0x3a, 0x7b, 0x7d];

/** Where a string stands in an object: as the value of one of the two fields that name its owner, or elsewhere. */
export type Position = 'id' | 'address' | undefined;

/** The two fields by which an object names its owner; undefined where one is missing, or is no text. */
export interface Owner {
  readonly id: string | undefined;
  readonly address: string | undefined;
}

/** What is done with the strings of a JSON text. */
export interface StringsVisitor {
  /** Names of the fields by which an object names its owner. */
  readonly ownerFields: { readonly id: string; readonly address: string };
  /** What to write in place of a string, a field's name or its value. The same text: it stays as it is written. */
  readonly replace: (text: string, position: Position) => string;
  /** Whether what a string becomes depends on whose object it stands in. That of the address always does. */
  readonly dependsOnOwner: (text: string) => boolean;
  /**
   * Hears of each object that has an id, before the objects around it; returns what becomes of its strings that depend
   * on that, null for `null`. An object without an id belongs to whoever owns the one around it.
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
  /** The strings at its own address. */
  readonly addresses: Held[];
  /** Strings that depend on the owner, in it and in what is in it. */
  held: Held[];
}

/** The JSON text with its strings replaced. Nested as deep as it may be; what is no JSON comes back in some way. */
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
    // It is the address of nobody who is known, and perhaps a word about the owner of the object around it.
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
  // What is no JSON may lack its end.
  for (let open = objects.pop(); open !== undefined; open = objects.pop()) close(open);
  return edited(json, edits);
}

/** Both lists in one, in any order. What is moved is the shorter one: objects may stand in objects without end. */
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

/** Tells every object of a JSON text that has an id: whose it is. */
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

/** Where the string that begins at `start` ends, its quote included. */
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

/** Whether what ends there is the name of a field. */
export function followedByColon(json: string, end: number): boolean {
  let at = end;
  for (let code = json.charCodeAt(at); code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09; )
    code = json.charCodeAt(++at);
  return json.charCodeAt(at) === colon;
}
