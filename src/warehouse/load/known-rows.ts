/** The rows of a dimension that a run remembers, so that it looks up each of them once. */
import { Names } from '../../flatten/packed-rows.ts';
import type { Dimension } from '../../model/table.ts';
import { type Following, followingsOf } from './attributes.ts';

/** The key of a name whose row is not known. */
const noKey = 0;

/**
 * Numbers the natural keys and stores a few large arrays, instead of one object per row. Natural keys come from
 * `identityOf`, so that no long text is kept.
 */
export class KnownRows {
  /** Whether all rows are known. Then a name without a key has no row. */
  isWhole = false;
  readonly followings: readonly Following[];
  readonly #identities = new Names();
  readonly #keys: number[] = [];
  /** For each following, the latest report that each row follows, as `reportOf` writes it. */
  readonly #reports: readonly string[][];

  constructor(dimension: Dimension) {
    this.followings = followingsOf(dimension);
    this.#reports = this.followings.map(() => []);
  }

  /** The number of known natural keys. */
  get size(): number {
    return this.#keys.length;
  }

  /** The number of a natural key; a new one gets the next number. */
  numberOf(identity: string): number {
    const number = this.#identities.numberOf(identity);
    if (number === this.#keys.length) {
      this.#keys.push(noKey);
      for (const reports of this.#reports) reports.push('');
    }
    return number;
  }

  /** The key of a row; undefined when it is not known. */
  keyOf(number: number): number | undefined {
    const key = this.#keys[number];
    return key === noKey ? undefined : key;
  }

  setKey(number: number, key: number): void {
    this.#keys[number] = key;
  }

  /** The report that a row follows; if unknown, a text that sorts before all others. */
  reportOf(following: number, number: number): string {
    return this.#reports[following]?.[number] ?? '';
  }

  setReport(following: number, number: number, report: string): void {
    const reports = this.#reports[following];
    if (reports !== undefined) reports[number] = report;
  }
}
