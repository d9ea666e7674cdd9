/** What a run remembers of the rows of a dimension, so that it asks for each of them once. */
import { Names } from '../../flatten/packed-rows.ts';
import type { Dimension } from '../../model/table.ts';
import { type Following, followingsOf } from './attributes.ts';

/** Stands for the key of a name whose row is not known. */
const noKey = 0;

/**
 * Rows by numbers, which natural keys get as they come: a few large arrays, instead of objects for each row. Natural keys
 * come as `identityOf` writes them: no long text is kept.
 */
export class KnownRows {
  /** Whether all rows are known: then a name without a key has no row. */
  isWhole = false;
  readonly followings: readonly Following[];
  readonly #identities = new Names();
  readonly #keys: number[] = [];
  /** For each following, the latest report that each row is known to follow, as `reportOf` writes it. */
  readonly #reports: readonly string[][];

  constructor(dimension: Dimension) {
    this.followings = followingsOf(dimension);
    this.#reports = this.followings.map(() => []);
  }

  /** Natural keys that have a number. */
  get size(): number {
    return this.#keys.length;
  }

  /** The number of a natural key. One that is new gets the next one. */
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

  /** The report that a row is known to follow; sorts before all others when none is known. */
  reportOf(following: number, number: number): string {
    return this.#reports[following]?.[number] ?? '';
  }

  setReport(following: number, number: number, report: string): void {
    const reports = this.#reports[following];
    if (reports !== undefined) reports[number] = report;
  }
}
