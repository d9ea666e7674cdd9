/** Reads the entries of a breakdown: a list of objects, a list of texts, a map, or several parallel lists. */
import { z } from 'zod';
import { kindOf } from '../model/field-kind.ts';
import { replaceUnstorableCharacters } from '../model/json.ts';
import { type Entry, isEntry, UnreadableEntry } from './entry.ts';
import type { RecordSink } from './flat-record.ts';
import { LargePart, type ParsedRecords } from './parse-records.ts';

/**
 * Shapes of breakdown entries: `object` and `text` in a list, `pair` in a map of values, `keyed` in a map of objects,
 * `beside` for several parallel lists of objects.
 */
export type EntryShape = 'object' | 'text' | 'pair' | 'keyed' | 'beside';

/** The shape of a breakdown and the schema of its entries. Throws `TypeError` for other types. */
export function entrySchema(types: readonly unknown[]): { shape: EntryShape; entry: z.ZodObject } {
  const [type, ...others] = types.map(withoutAbsence);
  if (others.length > 0) return { shape: 'beside', entry: besideEachOther([type, ...others]) };
  if (type instanceof z.ZodArray && type.element instanceof z.ZodObject)
    return { shape: 'object', entry: type.element };
  if (type instanceof z.ZodArray) return { shape: 'text', entry: z.object({ value: type.element }) };
  if (!(type instanceof z.ZodRecord))
    throw new TypeError('a breakdown must be an array of objects, an array of text or a map');
  const { keyType: key, valueType: value } = type;
  if (!(value instanceof z.ZodObject)) return { shape: 'pair', entry: z.object({ key, value }) };
  if ('key' in value.shape) throw new TypeError('entries of a map get the field key: they must not have it');
  return { shape: 'keyed', entry: z.object({ key, ...value.shape }) };
}

function withoutAbsence(type: unknown): unknown {
  return type instanceof z.ZodOptional || type instanceof z.ZodNullable
    ? withoutAbsence(type.unwrap())
    : type;
}

/** The schema of entries of parallel lists: the fields of all lists. All are optional: lists may differ in length. */
function besideEachOther(types: readonly unknown[]): z.ZodObject {
  const fields = types.flatMap((type) => {
    if (!(type instanceof z.ZodArray) || !(type.element instanceof z.ZodObject))
      throw new TypeError('breakdowns side by side must be arrays of objects');
    return Object.entries<z.core.$ZodType>(type.element.shape);
  });
  const shape = Object.fromEntries(fields);
  if (Object.keys(shape).length < fields.length)
    throw new TypeError('entries side by side must not have a field with the same name');
  for (const [name, type] of fields)
    if (!kindOf(type).accepts(undefined))
      throw new TypeError(`${name}: a field of entries side by side must be optional`);
  return z.object(shape);
}

/**
 * The entries of a breakdown, in pieces; undefined when the breakdown has another shape. For `beside`, `breakdown` is an
 * array of the parallel lists.
 */
export function entriesOf(shape: EntryShape, breakdown: unknown): Iterable<ParsedRecords> | undefined {
  if (shape === 'beside') return Array.isArray(breakdown) ? entriesSideBySide(breakdown) : undefined;
  const isMap = shape === 'pair' || shape === 'keyed';
  const entryOf = entryMakers[shape];
  if (breakdown instanceof LargePart) {
    if (breakdown.isArray === isMap) return undefined;
    return entryOf === undefined ? breakdown.entries() : mapped(breakdown.entries(), entryOf);
  }
  const records = isMap ? pairsOf(breakdown) : breakdown;
  if (!Array.isArray(records)) return undefined;
  // For a record that is parsed as a whole, unstorable characters were replaced before.
  return [
    { records: entryOf === undefined ? records : records.map(entryOf), mayHoldUnstorableCharacters: false },
  ];
}

function pairsOf(map: unknown): Entry[] | undefined {
  return isEntry(map) ? Object.entries(map).map(([key, value]) => ({ key, value })) : undefined;
}

export function isAbsent(breakdown: unknown): breakdown is null | undefined {
  return breakdown === null || breakdown === undefined;
}

/** Functions that make an entry of a list's item or of a map's key and value. */
const entryMakers: Readonly<Partial<Record<EntryShape, (record: unknown) => unknown>>> = {
  text: (value) => ({ value }),
  keyed: withKey,
};

function* mapped(
  pieces: Iterable<ParsedRecords>,
  entryOf: (record: unknown) => unknown,
): Generator<ParsedRecords> {
  for (const piece of pieces) yield { ...piece, records: piece.records.map(entryOf) };
}

/** An entry of a map of objects: its own fields and its key. */
function withKey(pair: unknown): unknown {
  if (!isEntry(pair)) return pair;
  const { key, value } = pair;
  return isEntry(value) ? { ...value, key } : new UnreadableEntry({ key }, pair);
}

function entriesSideBySide(lists: readonly unknown[]): Iterable<ParsedRecords> | undefined {
  const pieces = lists.map((list) => (isAbsent(list) ? [] : entriesOf('object', list)));
  if (lists.every(isAbsent) || pieces.includes(undefined)) return undefined;
  return zipped(pieces.map((ofList) => eachOf(ofList ?? [])));
}

function* eachOf(pieces: Iterable<ParsedRecords>): Generator<ParsedRecords> {
  for (const piece of pieces) for (const record of piece.records) yield { ...piece, records: [record] };
}

/** Combines the entries with the same index. The fields of a list that has no entry or null there are absent. */
function* zipped(lists: readonly Iterator<ParsedRecords>[]): Generator<ParsedRecords> {
  for (;;) {
    const next = lists.map((list) => list.next());
    if (next.every(({ done }) => done)) return;
    const found = next.flatMap(({ done, value }) => (done ? [] : [value]));
    const parts = found.flatMap(({ records }) => records).filter((part) => !isAbsent(part));
    const entry: Entry = Object.assign({}, ...parts.filter(isEntry));
    yield {
      records: [parts.every(isEntry) ? entry : new UnreadableEntry(entry, parts)],
      mayHoldUnstorableCharacters: found.some((piece) => piece.mayHoldUnstorableCharacters),
    };
  }
}

/** The entry with U+FFFD for characters that Postgres text cannot hold. Reports each changed text to the sink. */
export function withStorableCharacters(entry: unknown, path: string, sink: RecordSink): unknown {
  if (entry instanceof UnreadableEntry) {
    const readable = withStorableCharacters(entry.readable, path, sink);
    return new UnreadableEntry(isEntry(readable) ? readable : {}, entry.payload);
  }
  return replaceUnstorableCharacters(
    entry,
    (changed, text) => sink.drifted({ path: changed, kind: 'replaced_character', example: () => text }),
    path,
  );
}
