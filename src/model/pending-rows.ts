/** Rows that wait to be loaded, with keys that come twice settled (warehouse rule 6). */
import Big from 'big.js';
import { readFigures, rewriteFigures } from './figures.ts';
import type { FlatRow, KeptRows, Observation } from './flat-record.ts';
import { Names, type PackedRows, RowPacker } from './packed-rows.ts';
import { type Dimension, partSeparator, referencesOf, type TableDefinition } from './table.ts';

/** Rows that are ready to load. */
export interface Batch {
  /** Per table in the order of `Flatten.tables`. */
  readonly rows: readonly PackedRows[];
  readonly kept: readonly KeptRows[];
  readonly observations: readonly Observation[];
}

/** What is done about a key that comes again: rows are added up, or the later record replaces the earlier one. */
export type Duplicates = 'sum' | 'last';

/** Hears of a key that came again; its parts are joined by `partSeparator`. */
export type OnDuplicate = (table: TableDefinition, key: string) => void;

/** What is kept of a record while it waits. */
type WaitingRecord = { readonly rows: readonly (readonly FlatRow[])[] } & Omit<Batch, 'rows'>;

/** Gathers records until they are taken. The first of the tables holds one row of each record. */
export class PendingRows {
  readonly #tables: readonly TableDefinition[];
  readonly #duplicates: Duplicates;
  readonly #packers: readonly RowPacker[];
  readonly #kept: (readonly KeptRows[])[] = [];
  readonly #observations: (readonly Observation[])[] = [];
  /** Where the rows of each record begin: one number for each table, record by record. */
  readonly #starts: number[] = [];
  /** The record that each row of the first table is of; another than it was where a record was replaced. */
  readonly #records: number[] = [];
  #replaced = 0;

  constructor(tables: readonly TableDefinition[], duplicates: Duplicates) {
    this.#tables = tables;
    this.#duplicates = duplicates;
    const names = new Map<Dimension, Names>();
    const namesOf = (dimension: Dimension) => {
      const known = names.get(dimension) ?? new Names();
      names.set(dimension, known);
      return known;
    };
    this.#packers = tables.map(
      (table) =>
        new RowPacker(
          table,
          referencesOf(table).map(({ dimension }) => namesOf(dimension)),
        ),
    );
  }

  /** Records that wait. */
  get size(): number {
    return this.#kept.length - this.#replaced;
  }

  /** Adds a record. */
  add({ rows, kept, observations }: WaitingRecord, onDuplicate: OnDuplicate): void {
    const record = this.#kept.length;
    for (const { length } of this.#packers) this.#starts.push(length);
    this.#kept.push(kept);
    this.#observations.push(observations);
    for (let table = 0; table < this.#packers.length; table++)
      for (const row of rows[table] ?? []) this.#addRow(table, row, record, onDuplicate);
  }

  #addRow(table: number, row: FlatRow, record: number, onDuplicate: OnDuplicate): void {
    const [definition, packer] = [this.#tables[table], this.#packers[table]];
    if (definition === undefined || packer === undefined) return;
    const replaces = this.#duplicates === 'last';
    // Where the last record counts, only rows of the same record are added up.
    const first = replaces && table > 0 ? this.#start(table, record) : 0;
    const known = packer.add(row, first);
    if (known === undefined) {
      if (table === 0) this.#records.push(record);
      return;
    }
    onDuplicate(definition, row.keys.slice(0, definition.keys.length).join(partSeparator));
    if (table === 0 && replaces) {
      packer.replace(known, row);
      this.#records[known] = record;
      this.#replaced += 1;
    } else packer.replace(known, merged(packer.rowAt(known), row, definition));
  }

  #start(table: number, record: number): number {
    return this.#starts[record * this.#packers.length + table] ?? this.#packers[table]?.length ?? 0;
  }

  /** All rows that wait. Nothing may be added any more. */
  batch(): Batch {
    if (this.#replaced > 0) return this.#withoutReplaced().batch();
    return {
      rows: this.#packers.map((packer) => packer.pack()),
      kept: this.#kept.flat(),
      observations: this.#observations.flat(),
    };
  }

  #withoutReplaced(): PendingRows {
    const rest = new PendingRows(this.#tables, this.#duplicates);
    for (const [mainRow, record] of this.#records.entries()) {
      const rows = this.#packers.map((packer, table) => {
        if (table === 0) return [packer.rowAt(mainRow)];
        const [start, end] = [this.#start(table, record), this.#start(table, record + 1)];
        return Array.from({ length: end - start }, (_, index) => packer.rowAt(start + index));
      });
      const [kept, observations] = [this.#kept[record] ?? [], this.#observations[record] ?? []];
      rest.add({ rows, kept, observations }, () => undefined);
    }
    return rest;
  }
}

/** Additive measures of both rows summed, everything else as the later row has it where that says something. */
function merged(earlier: FlatRow, later: FlatRow, { measures }: TableDefinition): FlatRow {
  const before = readFigures(earlier.figures);
  const figures = readFigures(later.figures).map((figure, index) => {
    const known = before[index] ?? null;
    if (figure === null || known === null) return figure ?? known;
    return measures[index]?.additive === true ? new Big(known).plus(new Big(figure)).toFixed() : figure;
  });
  return {
    keys: later.keys.map((key, index) => key ?? earlier.keys[index] ?? null),
    figures: rewriteFigures(figures),
  };
}
