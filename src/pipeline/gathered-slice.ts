/** A slice as it comes in: its rows, its raw answers, and a fingerprint of both. */

import { hash } from 'node:crypto';
import type { Page } from '../extract/envelope.ts';
import { flattenOf } from '../flatten/flatten.ts';
import { createSliceContent, type SliceContent } from '../flatten/slice-content.ts';
import type { Day } from '../model/day.ts';
import type { CountedDrift, Rejection } from '../model/drift.ts';
import type { ParsedRows } from '../model/json.ts';
import { type DailySlice, type DailySource, dailySlice } from '../model/source.ts';
import { createRawSlice, type RawSlice } from '../warehouse/archive/raw-archive.ts';

/** One slice on its way from the platform into the warehouse. */
export interface GatheredSlice {
  readonly source: DailySource;
  readonly slice: DailySlice;
  /** Rows as flattened; reading it gives up the hope of recognizing the answers. */
  readonly content: SliceContent;
  /** Undefined when raw rows are not kept. */
  readonly raw: RawSlice | undefined;
  /** What was met so far in rows that were flattened. */
  readonly rejected: readonly Rejection[];
  readonly drift: readonly CountedDrift[];
  /** Payload rows that came; of recognized answers, those that were loaded from them. */
  readonly read: number;
  /** Payload rows held in memory, at most. */
  readonly held: number;
  /** Whether the answers are byte for byte those that the slice was loaded from; then nothing was even parsed. */
  isRecognized(): boolean;
  /** Gives up holding answers that are not the known ones; throws `UnreadableAnswerError` when one is not JSON. */
  flattenUnlessRecognized(): void;
  /** Adds a whole answer of which every row belongs to this slice, or should. */
  addPage(page: Page): void;
  /** Adds rows of this slice from the archive. */
  addArchived(archived: ParsedRows): void;
  /** Adds the rows of this slice out of an answer that also holds other slices. */
  addPart(page: Page, rows: () => readonly unknown[]): void;
  /**
   * Digest of the exact answers, equal only for byte-identical ones read by the same version of the program.
   * Undefined when something in them was not loaded as it came, or when there was none.
   */
  sourceHash(): Buffer | undefined;
}

/** What a slice was loaded from. */
export interface KnownAnswers {
  readonly sourceHash: Buffer;
  /** Payload rows in them; more than none. */
  readonly rows: number;
}

/** How to gather. */
export interface GatherOptions {
  /** Part of the fingerprint: a new version may understand more. */
  readonly appVersion: string;
  readonly keepRaw: boolean;
  /** What the slice was loaded from: while that may come again, answers are only held. */
  readonly known?: KnownAnswers | undefined;
  /** Holds answers until something is asked of them, known or not. */
  readonly holds?: boolean;
  /** Rows that an answer has at most. */
  readonly pageSize?: number;
}

/** Fingerprint of the answers with the given digests, read by a version of the program. */
export function sourceHashOf(appVersion: string, digests: readonly string[]): Buffer {
  return hash('sha256', [appVersion, ...digests].join('\n'), 'buffer');
}

/** Begins to gather a slice. */
export function gatherSlice(source: DailySource, day: Day, options: GatherOptions): GatheredSlice {
  const { appVersion, known, holds = known !== undefined, pageSize = 1 } = options;
  const content = createSliceContent(flattenOf(source), source.duplicates);
  const raw = options.keepRaw ? createRawSlice() : undefined;
  const digests: string[] = [];
  let heldAnswers: HeldAnswer[] | undefined = holds ? [] : undefined;
  let read = 0;

  function addDayRow(row: unknown, mayHoldUnstorableCharacters: boolean): void {
    const reported = dayOfRow(row, source);
    if (reported === day) content.add(row, mayHoldUnstorableCharacters);
    else content.reject({ path: source.slicing.dayField, reason: wrongDay(day, reported), payload: row });
  }

  function add(digest: string, answer: HeldAnswer): void {
    digests.push(digest);
    if (heldAnswers === undefined) flattenAnswer(answer);
    else heldAnswers.push(answer);
  }

  function flattenHeld(): void {
    const held = heldAnswers ?? [];
    heldAnswers = undefined;
    for (const answer of held) flattenAnswer(answer);
  }

  function flattenAnswer(answer: HeldAnswer): void {
    const { rows, mayHoldUnstorableCharacters } = answer.parse();
    read += rows.length;
    if (rows.length > 0) raw?.add(answer.bytes(rows), rows.length);
    for (const row of rows) addDayRow(row, mayHoldUnstorableCharacters);
  }

  const isRecognized = () =>
    heldAnswers !== undefined && known?.sourceHash.equals(sourceHashOf(appVersion, digests)) === true;

  return {
    source,
    slice: dailySlice(source, day),
    get content() {
      flattenHeld();
      return content;
    },
    raw,
    rejected: content.rejected,
    get drift() {
      return content.drift;
    },
    get read() {
      if (isRecognized()) return known?.rows ?? 0;
      flattenHeld();
      return read;
    },
    get held() {
      return (heldAnswers?.length ?? 0) * pageSize + content.waiting;
    },
    isRecognized,
    flattenUnlessRecognized() {
      if (!isRecognized()) flattenHeld();
    },
    addPage(page) {
      add(page.digest, { parse: () => page, bytes: () => page.bytes });
    },
    addArchived({ rows, mayHoldUnstorableCharacters }) {
      read += rows.length;
      for (const row of rows) addDayRow(row, mayHoldUnstorableCharacters);
    },
    addPart(page, rows) {
      add(page.digest, {
        parse: () => ({ rows: rows(), mayHoldUnstorableCharacters: page.mayHoldUnstorableCharacters }),
        bytes: (part) => Buffer.from(JSON.stringify({ data: part })),
      });
    },
    sourceHash: () =>
      digests.length === 0 || content.rejected.length > 0 || content.drift.length > 0
        ? undefined
        : sourceHashOf(appVersion, digests),
  };
}

/** An answer, or a part of one, that is parsed when it is needed. */
interface HeldAnswer {
  readonly parse: () => ParsedRows;
  /** `{data: rows}`, for the archive. */
  readonly bytes: (rows: readonly unknown[]) => Buffer;
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
