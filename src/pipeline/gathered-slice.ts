/** A slice as it comes in: its rows, its raw answers, and a fingerprint of both. */
import { hash } from 'node:crypto';
import type { Page } from '../extract/envelope.ts';
import type { Day } from '../model/day.ts';
import type { Rejection } from '../model/flat-record.ts';
import { type CountedDrift, createSliceContent, type SliceContent } from '../model/slice-content.ts';
import { type DailySource, dailySlice, type Slice } from '../model/source.ts';
import { type ArchivedRows, createRawSlice, type RawSlice, rowsOfAnswer } from '../warehouse/raw-archive.ts';

/** One slice on its way from the platform into the warehouse. */
export interface GatheredSlice {
  readonly source: DailySource;
  readonly slice: Slice;
  /** Rows as flattened; reading it gives up the hope of recognizing the answers. */
  readonly content: SliceContent;
  /** Undefined when raw rows are not kept. */
  readonly raw: RawSlice | undefined;
  /** What was met so far in rows that were flattened. */
  readonly rejected: readonly Rejection[];
  readonly drift: readonly CountedDrift[];
  /** Payload rows that came. */
  readonly read: number;
  /** Payload rows held in memory. */
  readonly held: number;
  /** Whether the answers are byte for byte those that the slice was loaded from; then nothing was flattened. */
  isRecognized(): boolean;
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

/** How to gather. */
export interface GatherOptions {
  /** Part of the fingerprint: a new version may understand more. */
  readonly appVersion: string;
  readonly keepRaw: boolean;
  /** Fingerprint of what the slice was loaded from, if it was: while it may come again, answers are only held. */
  readonly expected?: Buffer | null | undefined;
}

/** Begins to gather a slice. */
export function gatherSlice(source: DailySource, day: Day, options: GatherOptions): GatheredSlice {
  const content = createSliceContent(source.flatten, source.duplicates);
  const raw = options.keepRaw ? createRawSlice() : undefined;
  const answers: string[] = [];
  let heldAnswers: HeldAnswer[] | undefined = options.expected ? [] : undefined;
  let heldRows = 0;
  let read = 0;

  function addDayRow(row: unknown, mayHoldUnstorableCharacters: boolean): void {
    const reported = dayOfRow(row, source);
    if (reported === day) content.add(row, mayHoldUnstorableCharacters);
    else content.reject({ path: source.slicing.dayField, reason: wrongDay(day, reported), payload: row });
  }

  function hold(digest: string, answer: HeldAnswer, rowCount: number): void {
    answers.push(digest);
    read += rowCount;
    if (heldAnswers === undefined) {
      flattenAnswer(answer);
      return;
    }
    heldAnswers.push(answer);
    heldRows += rowCount;
  }

  function flattenHeld(): void {
    const held = heldAnswers ?? [];
    heldAnswers = undefined;
    heldRows = 0;
    for (const answer of held) flattenAnswer(answer);
  }

  function flattenAnswer(answer: HeldAnswer): void {
    const { rows, mayHoldUnstorableCharacters } = answer.read();
    raw?.add(answer.text(), rows.length);
    for (const row of rows) addDayRow(row, mayHoldUnstorableCharacters);
  }

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
      return read;
    },
    get held() {
      return heldRows + content.waiting;
    },
    isRecognized: () =>
      heldAnswers !== undefined && answers.length > 0 && options.expected?.equals(hashOf(answers)) === true,
    addPage(page) {
      const { text, digest, rows } = page;
      // While it is held, an answer is only its text: parsing it again is rare, and cheaper than what its rows take.
      const reading = heldAnswers === undefined ? () => page : () => rowsOfAnswer(text);
      hold(digest, { text: () => text, read: reading }, rows.length);
    },
    addArchived({ rows, mayHoldUnstorableCharacters }) {
      read += rows.length;
      for (const row of rows) addDayRow(row, mayHoldUnstorableCharacters);
    },
    addRow(row, { digest, mayHoldUnstorableCharacters }) {
      const rows = [row];
      hold(
        digest,
        { text: () => JSON.stringify({ data: rows }), read: () => ({ rows, mayHoldUnstorableCharacters }) },
        1,
      );
    },
    sourceHash: () =>
      answers.length === 0 || content.rejected.length > 0 || content.drift.length > 0
        ? undefined
        : hashOf(answers),
  };

  function hashOf(digests: readonly string[]): Buffer {
    return hash('sha256', [options.appVersion, ...digests].join('\n'), 'buffer');
  }
}

/** An answer, or a part of one, that is read when it is needed. */
interface HeldAnswer {
  readonly text: () => string;
  readonly read: () => ArchivedRows;
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
