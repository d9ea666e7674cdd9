/** A set of surrogate keys. They come from a sequence, so one bit each takes a hundredth of what a `Set` takes. */

/** Keys of one page share one block of memory. */
const keysPerPage = 65_536;

/** Whole numbers from 0. */
export interface KeySet {
  /** Adds a key; false when it was there. */
  add(key: number): boolean;
}

/** An empty set. */
export function createKeySet(): KeySet {
  const pages = new Map<number, Uint8Array>();
  return {
    add(key) {
      const pageNumber = Math.floor(key / keysPerPage);
      const page = pages.get(pageNumber) ?? new Uint8Array(keysPerPage / 8);
      pages.set(pageNumber, page);
      const position = key % keysPerPage;
      const [byte, bit] = [position >> 3, 1 << (position & 7)];
      const before = page[byte] ?? 0;
      page[byte] = before | bit;
      return (before & bit) === 0;
    },
  };
}
