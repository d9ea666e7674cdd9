/** A slice as it comes in: its rows, its raw answers, and a fingerprint of both. */
import { hash } from 'node:crypto';
import type { Page } from '../extract/envelope.ts';
import type { Day } from '../model/day.ts';
import { createSliceContent, type SliceContent } from '../model/slice-content.ts';
import { type DailySource, dailySlice, type Slice } from '../model/source.ts';
import { type ArchivedRows, createRawSlice, type RawSlice } from '../warehouse/raw-archive.ts';

/** One slice on its way from the platform into the warehouse. */
export interface GatheredSlice {
  readonly source: DailySource;
  readonly slice: Slice;
  readonly content: SliceContent;
  /** Undefined when raw rows are not kept. */
  readonly raw: RawSlice | undefined;
  /** Adds a whole answer of which every row belongs to this slice, or should. */
  addPage(page: Page): void;
  /** Adds rows of this slice from the archive. */
  addArchived(archived: ArchivedRows): void;
  /** Adds one row out of an answer that also holds other slices. */
  addRow(row: unknown, page: Page): void;
  /**
   * Digest of the exact answers, equal only for byte-identical ones read by the same version of the program.
   * Undefined when something in them was not loaded as it came, or when there was no answer.
   */
  sourceHash(): Buffer | undefined;
}

/** Begins to gather a slice. `appVersion` is part of the fingerprint: a new version may understand more. */
export function gatherSlice(
  source: DailySource,
  day: Day,
  { appVersion, keepRaw }: { readonly appVersion: string; readonly keepRaw: boolean },
): GatheredSlice {
  const content = createSliceContent(source.flatten, source.duplicates);
  const raw = keepRaw ? createRawSlice() : undefined;
  const answers: string[] = [];

  function addDayRow(row: unknown, mayHoldUnstorableCharacters: boolean): void {
    const reported = dayOfRow(row, source);
    if (reported === day) content.add(row, mayHoldUnstorableCharacters);
    else content.reject({ path: source.slicing.dayField, reason: wrongDay(day, reported), payload: row });
  }

  return {
    source,
    slice: dailySlice(source, day),
    content,
    raw,
    addPage(page) {
      answers.push(page.digest);
      raw?.add(page.text, page.rows.length);
      for (const row of page.rows) addDayRow(row, page.mayHoldUnstorableCharacters);
    },
    addArchived({ rows, mayHoldUnstorableCharacters }) {
      for (const row of rows) addDayRow(row, mayHoldUnstorableCharacters);
    },
    addRow(row, page) {
      answers.push(page.digest);
      raw?.add(JSON.stringify({ data: [row] }), 1);
      addDayRow(row, page.mayHoldUnstorableCharacters);
    },
    sourceHash: () =>
      answers.length === 0 || content.rejected.length > 0 || content.drift.length > 0
        ? undefined
        : hash('sha256', [appVersion, ...answers].join('\n'), 'buffer'),
  };
}

/** The day that a row says it is of; undefined when it says none. */
export function dayOfRow(row: unknown, source: DailySource): string | undefined {
  if (typeof row !== 'object' || row === null) return undefined;
  const value: unknown = Reflect.get(row, source.slicing.dayField);
  return typeof value === 'string' ? value : undefined;
}

function wrongDay(asked: Day, reported: string | undefined): string {
  return `expected a row of ${asked}, which was asked for, got ${reported === undefined ? 'a row without a day' : `one of ${JSON.stringify(reported.slice(0, 40))}`}`;
}
