/** The entries of breakdowns: of a list of objects, a list of texts, a map, or several lists side by side. */
import { z } from 'zod';
import { kindOf } from '../model/fields.ts';
import { ExactNumber, replaceUnstorableCharacters } from '../model/json.ts';
import { type Entry, isEntry, UnreadableEntry } from './entry.ts';
import type { RecordSink } from './flat-record.ts';
import { LargeBreakdown, type ParsedRecords } from './parse-records.ts';

/** How the entries of a breakdown come: objects, texts, the pairs of a map, or objects in a map or side by side. */
export type EntryShape = 'object' | 'text' | 'pair' | 'keyed' | 'beside';

/** The shape of a breakdown and the schema of its entries. Throws `TypeError` for types that are no breakdown. */
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

/** One entry has the fields of all lists; each may be absent, because lists may be of different length. */
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

/** The entries of a breakdown, in pieces; undefined when it has another shape. Those side by side: of all their lists. */
export function entriesOf(shape: EntryShape, lists: readonly unknown[]): Iterable<ParsedRecords> | undefined {
  if (shape === 'beside') return entriesSideBySide(lists);
  const [breakdown] = lists;
  const isMap = shape === 'pair' || shape === 'keyed';
  if (breakdown instanceof LargeBreakdown) {
    if (breakdown.isArray === isMap) return undefined;
    return withEntries(breakdown.entries(), shape);
  }
  if (!isMap) return Array.isArray(breakdown) ? withEntries([ofText(breakdown)], shape) : undefined;
  if (!isEntry(breakdown)) return undefined;
  return withEntries([ofText(Object.entries(breakdown).map(([key, value]) => ({ key, value })))], shape);
}

/** Whether a breakdown is not there. */
export function isAbsent(breakdown: unknown): breakdown is null | undefined {
  return breakdown === null || breakdown === undefined;
}

/** Entries of a record whose characters were checked already, with the whole record. */
function ofText(records: readonly unknown[]): ParsedRecords {
  return { records, mayHoldUnstorableCharacters: false };
}

function withEntries(pieces: Iterable<ParsedRecords>, shape: EntryShape): Iterable<ParsedRecords> {
  if (shape === 'text') return mapped(pieces, (value) => ({ value }));
  return shape === 'keyed' ? mapped(pieces, withKey) : pieces;
}

function* mapped(
  pieces: Iterable<ParsedRecords>,
  entryOf: (record: unknown) => unknown,
): Generator<ParsedRecords> {
  for (const piece of pieces) yield { ...piece, records: piece.records.map(entryOf) };
}

/** An entry of a map of objects, with its key beside its own fields. */
function withKey(pair: unknown): unknown {
  if (!isEntry(pair)) return pair;
  const { key, value } = pair;
  return isEntry(value) ? { ...value, key } : new UnreadableEntry({ key }, pair);
}

function entriesSideBySide(lists: readonly unknown[]): Iterable<ParsedRecords> | undefined {
  const pieces = lists.map((list) => (isAbsent(list) ? [] : entriesOf('object', [list])));
  if (lists.every(isAbsent) || pieces.includes(undefined)) return undefined;
  return zipped(pieces.map((ofList) => eachOf(ofList ?? [])));
}

function* eachOf(pieces: Iterable<ParsedRecords>): Generator<ParsedRecords> {
  for (const piece of pieces) for (const record of piece.records) yield { ...piece, records: [record] };
}

/** Entries by their place in all lists. What a list lacks, or has as null, is absent from the entry. */
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

/** The same with U+FFFD for what Postgres text cannot hold. Tells the sink of each text that changed. */
export function withStorableCharacters(entry: unknown, path: string, sink: RecordSink): unknown {
  if (entry instanceof UnreadableEntry) {
    const readable = withStorableCharacters(entry.readable, path, sink);
    return new UnreadableEntry(isEntry(readable) ? readable : {}, entry.payload);
  }
  return replaceUnstorableCharacters(
    entry,
    (changed, text) =>
      sink.surprised({ path: changed, kind: 'replaced_character', example: text.slice(0, 200) }),
    path,
  );
}

/** What a value is called in the reason for a rejection. */
export function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  return value instanceof ExactNumber ? 'number' : typeof value;
}
