/** Tables that do not fit their schema are refused when they are prepared, not when a row comes. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { flattenOf } from '../../src/flatten/flatten.ts';
import { position } from '../../src/model/derivations.ts';
import { count, name, ratio, timestamp } from '../../src/model/fields.ts';
import { additive, derived, rowsOf, type Table, table, values } from '../../src/model/table.ts';
import { messages, reports } from '../support/made-up-sources.ts';

const entry = z.object({ name, calls: count });
const own = { id: name, at: timestamp, inner: z.object({ text: name }).nullish() };
const lists: Readonly<Record<string, z.ZodType>> = {
  list: z.array(entry).nullish(),
  other: z.array(z.object({ share: ratio })),
  names: z.array(name),
  map: z.record(name, z.object({ key: name })),
};

/** The flatten function of a table and those below it; the schema has the fields that they are made of. */
function prepare(root: Table) {
  const used = root.below.flatMap(({ fields }) => fields.filter((field) => field in lists));
  const breakdowns = Object.fromEntries(used.map((field) => [field, lists[field] ?? name]));
  return flattenOf({ schema: z.object({ ...own, ...breakdowns }), root, duplicates: 'last' });
}

const below = table('child', { keys: values('name'), columns: additive('calls') });

describe('a table that does not fit its schema', () => {
  it.each<[string, Table, string]>([
    [
      'a field that the schema does not have',
      table('t', { columns: values('nobody') }),
      't: the schema has no field nobody',
    ],
    [
      'a breakdown that it does not have',
      table('t', { below: [rowsOf('nobody', below)] }),
      't: the schema has no field nobody',
    ],
    [
      'a field of an object that it does not have',
      table('t', { columns: values('inner.nobody') }),
      'inner.nobody',
    ],
    [
      'texts that are added up',
      table('t', { columns: additive('id') }),
      'values of type text cannot be added up',
    ],
    ['an object as a value', table('t', { columns: values('inner') }), 'inner has no column type'],
    [
      'a breakdown that is no list',
      table('t', { below: [rowsOf('id', below)] }),
      'a breakdown must be an array',
    ],
    [
      'a map of objects that have a field key',
      table('t', { below: [rowsOf('map', table('m', { keys: values('key') }))] }),
      'entries of a map get the field key',
    ],
    [
      'lists side by side whose fields must be there',
      table('t', { below: [rowsOf(['list', 'other'], below)] }),
      'name: a field of entries side by side must be optional',
    ],
    [
      'texts side by side',
      table('t', { below: [rowsOf(['list', 'names'], below)] }),
      'breakdowns side by side must be arrays of objects',
    ],
    [
      'rows of a breakdown that are flagged',
      table('t', { below: [rowsOf('list', { ...below, vanished: { is_listed: false } })] }),
      'child: only rows of whole records can be flagged',
    ],
    [
      'a value of no field',
      table('t', { columns: [{ column: 'c', fields: [], type: 'text', whenDuplicate: 'last' }] }),
      'needs a derivation',
    ],
  ])('is refused: %s', (_, root, message) => {
    expect(() => prepare(root)).toThrow(TypeError);
    expect(() => prepare(root)).toThrow(message);
  });

  it('is refused where nothing is made of a list in its schema', () => {
    const schema = z.object({ id: name, list: z.array(entry) });
    expect(() => flattenOf({ schema, root: table('t', {}), duplicates: 'last' })).toThrow(
      't: list: expected one of the kinds',
    );
  });

  it('has its inherited keys and its types when it fits', () => {
    const { tables } = prepare(
      table('t', {
        keys: values('id'),
        below: [rowsOf('list', { ...below, keys: [derived('place', 'integer', [], position)] })],
      }),
    );
    expect(tables.map(({ keys }) => keys)).toMatchObject([
      [{ column: 'id', type: 'text' }],
      [
        { column: 'id', type: 'text' },
        { column: 'place', type: 'integer' },
      ],
    ]);
  });

  it.each([messages, reports])('keeps the order in which tables are declared', (source) => {
    const { tables, paths } = flattenOf(source);
    expect(tables[0]?.name).toBe(source.root.name);
    expect(paths[0]).toBe('');
    expect(new Set(paths).size).toBe(tables.length);
  });
});
