/** Parses the YAML of ORGANIZATIONS_FILE into a list of values. */
import { type Document, isMap, isSeq, LineCounter, parseDocument, type YAMLError } from 'yaml';

/** Entries of the file. */
export const mostEntries = 10_000;
/** How often values may be repeated by aliases. Aliases of aliases grow without end. */
const mostRepeats = 100_000;

/**
 * The values of the list: every scalar is a text, as in the environment, and null where nothing is written. Undefined
 * when the text is no such list. Adds a sentence to `problems` for each problem, without anything that the text says.
 */
export function listIn(bytes: Uint8Array, problems: string[]): readonly unknown[] | undefined {
  const found: string[] = [];
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return valuesIn(text, found);
  } catch (error) {
    found.push(reasonOf(error));
    return undefined;
  } finally {
    problems.push(...found);
  }
}

function valuesIn(text: string, problems: string[]): readonly unknown[] | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    schema: 'failsafe',
    customTags: ['null'],
    // Its messages would quote the text, which may hold a secret.
    prettyErrors: false,
    lineCounter: lines,
  });
  const errors = [...document.errors, ...document.warnings];
  const twice = errors.filter(({ code }) => code === 'DUPLICATE_KEY');
  problems.push(...twice.map((error) => fieldTwice(error, document, text)));
  const others = errors.filter(({ code }) => code !== 'DUPLICATE_KEY');
  // What follows a mistake on its line is a mistake, too.
  const ofLines = new Map<number, string>();
  for (const { code, pos } of others) {
    const { line } = lines.linePos(pos[0]);
    if (!ofLines.has(line)) ofLines.set(line, code);
  }
  for (const [line, code] of ofLines) problems.push(`line ${line}: ${sentences[code] ?? 'is no YAML'}`);
  if (others.length > 0) return undefined;
  const values: unknown = document.toJS({ maxAliasCount: mostRepeats });
  if (Array.isArray(values) && values.length > 0 && values.length <= mostEntries) return values;
  problems.push(`expected a list of 1 to ${mostEntries} organizations, got ${wordFor(values)}`);
  return undefined;
}

/** What the parser's codes mean; any other is 'is no YAML'. */
const sentences: Readonly<Partial<Record<string, string>>> = {
  MULTIPLE_DOCS: 'expected one list, got a second document',
  TAB_AS_INDENT: 'is no YAML: expected spaces before a field, got a tab',
  BAD_INDENT: 'is no YAML: the fields of an entry begin below each other',
  TAG_RESOLVE_FAILED: 'expected a text, got a tag',
};

/** A field that one entry has twice. */
function fieldTwice({ pos: [at] }: YAMLError, { contents }: Document.Parsed, text: string): string {
  const field = /^[a-z_]{1,40}(?=\s*:)/.exec(text.slice(at, at + 64))?.[0] ?? 'a field';
  const entries = isSeq(contents) ? contents.items : [];
  const index = entries.findIndex(
    (entry) => isMap(entry) && entry.range && entry.range[0] <= at && at < entry.range[2],
  );
  return `${index < 0 ? '' : `entry ${index + 1}: `}${field}: stands twice; remove one of the two`;
}

function wordFor(values: unknown): string {
  if (Array.isArray(values)) return values.length === 0 ? 'an empty list' : `${values.length}`;
  if (values === null) return 'nothing';
  return typeof values === 'string' ? 'a text' : 'fields without a list: each entry begins with "- "';
}

function reasonOf(error: unknown): string {
  if (error instanceof ReferenceError && error.message.startsWith('Unresolved'))
    return 'an alias has no anchor before it; write the value out';
  if (error instanceof ReferenceError) return 'its aliases repeat values too often; write the values out';
  if (error instanceof RangeError) return 'is no YAML list of organizations: too deep';
  if (error instanceof TypeError) return 'is no UTF-8 text';
  throw error;
}
