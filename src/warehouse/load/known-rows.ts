/** The rows of a dimension that a run remembers, so that it looks up each of them once. */
import { Names } from '../../flatten/packed-rows.ts';
import type { Dimension } from '../../model/table.ts';
import { type AttributeSet, attributeSetsOf } from './attributes.ts';

/** Stands for the key of a name whose row is not known. */
const noKey = 0;

/**
 * Gives each natural key a number, and stores a few large arrays instead of one object per row. The caller passes natural
 * keys as `identityOf` returns them, so that no long text is kept.
 */
export class KnownRows {
  /** Whether all rows of the dimension are known: then a name without a key has no row. */
  isWhole = false;
  readonly attributeSets: readonly AttributeSet[];
  readonly #identities = new Names();
  readonly #keys: number[] = [];
  /** For each attribute set, the latest report that each row follows, as `recencyOf` writes it. */
  readonly #recencies: readonly string[][];

  constructor(dimension: Dimension) {
    this.attributeSets = attributeSetsOf(dimension);
    this.#recencies = this.attributeSets.map(() => []);
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
      for (const reports of this.#recencies) reports.push('');
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

  /** The report that a row follows, as `recencyOf` writes it; empty if unknown, which sorts before all others. */
  recencyOf(attributeSet: number, number: number): string {
    return this.#recencies[attributeSet]?.[number] ?? '';
  }

  setRecency(attributeSet: number, number: number, report: string): void {
    const reports = this.#recencies[attributeSet];
    if (reports !== undefined) reports[number] = report;
  }
}
