/** Random numbers that depend only on their seed, so that any day can be generated in any order. */

/** Mixes three integers into one from 0 to 2^32 - 1 (the finalizer of MurmurHash3, applied twice). */
export function hash(seed: number, a: number, b: number): number {
  return mix(mix(seed ^ Math.imul(a + 0x7f4a7c15, 0x9e3779b1)) ^ Math.imul(b + 0x165667b1, 0x85ebca77)) >>> 0;
}

/** The `hash` of three integers as a fraction from 0 to below 1. */
export function fraction(seed: number, a: number, b: number): number {
  return hash(seed, a, b) / 4294967296;
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** A reproducible sequence of random numbers (mulberry32). */
export class RandomStream {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** The next fraction, from 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** The next integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }
}

/**
 * Splits the integer `total` into one integer per weight; they sum to exactly `total`. Each weight is varied by up to
 * 40 %, so that the proportions differ from day to day.
 */
export function split(total: number, weights: readonly number[], random: RandomStream): number[] {
  const varied = weights.map((weight) => weight * (0.6 + 0.8 * random.next()));
  const sum = varied.reduce((left, right) => left + right, 0);
  if (sum === 0) return weights.map(() => 0);
  let [reached, given] = [0, 0];
  return varied.map((weight, index) => {
    reached += weight;
    const upTo = index === varied.length - 1 ? total : Math.floor((total * reached) / sum);
    const part = upTo - given;
    given = upTo;
    return part;
  });
}
