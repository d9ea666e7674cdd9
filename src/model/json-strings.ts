/** Looks at the strings of a JSON text without parsing it: figures stay digit for digit what they are. */

const [quote, backslash, colon, openBrace, closeBrace] = [0x22, 0x5c, 0x3a, 0x7b, 0x7d];

/** Two fields that may stand in one object; undefined where they do not, or are no text. */
export type Pair = [string | undefined, string | undefined];

/** What is done with the strings of a JSON text. */
export interface StringsVisitor {
  /** What to write in place of a string, a field's name or its value. The same text: it stays as it is written. */
  readonly replace: (text: string) => string;
  /** Names of the fields of a pair. */
  readonly pairFields: readonly [string, string];
  /** Hears of each object that has both. */
  readonly onPair: (first: string, second: string) => void;
}

/** The JSON text with its strings replaced. Nested as deep as it may be; what is no JSON comes back in some way. */
export function replaceStrings(
  json: string,
  { replace, pairFields: [first, second], onPair }: StringsVisitor,
): string {
  const parts: string[] = [];
  const pairs: Pair[] = [];
  let written = 0;
  let field = '';
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === openBrace) pairs.push([undefined, undefined]);
    else if (code === closeBrace) {
      const [one, other] = pairs.pop() ?? [];
      if (one !== undefined && other !== undefined) onPair(one, other);
    } else if (code === quote) {
      const end = endOfString(json, at);
      const text = textOf(json, at, end);
      const isName = followedByColon(json, end);
      if (isName) field = text;
      else {
        const pair = pairs.at(-1);
        if (pair !== undefined && field === first) pair[0] = text;
        if (pair !== undefined && field === second) pair[1] = text;
        field = '';
      }
      const replaced = replace(text);
      if (replaced !== text) {
        parts.push(json.slice(written, at), JSON.stringify(replaced));
        written = end;
      }
      at = end - 1;
    }
  }
  return written === 0 ? json : parts.join('') + json.slice(written);
}

/** Where the string that begins at `start` ends, its quote included. */
function endOfString(json: string, start: number): number {
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

function followedByColon(json: string, end: number): boolean {
  let at = end;
  for (let code = json.charCodeAt(at); code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09; )
    code = json.charCodeAt(++at);
  return json.charCodeAt(at) === colon;
}
