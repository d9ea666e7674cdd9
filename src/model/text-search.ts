/** Finds many texts in another one. */

/** A found text, and its place. */
export interface FoundText {
  readonly at: number;
  readonly text: string;
}

/** With fewer texts, looking for each of them is quicker. */
const fewest = 64;
const longestBeginning = 8;

/**
 * Returns a function that finds all places of the texts `wanted`, also those that overlap, in any order. With many texts
 * its time depends on the length of the searched text, and hardly on the number of texts.
 */
export function createTextSearch(wanted: Iterable<string>): (within: string) => FoundText[] {
  const texts = [...new Set(wanted)].filter((text) => text !== '');
  if (texts.length < fewest) return (within) => texts.flatMap((text) => placesOf(text, within));
  const width = texts.reduce((least, { length }) => Math.min(least, length), longestBeginning);
  const byBeginning = new Map<string, string[]>();
  for (const text of texts) {
    const same = byBeginning.get(text.slice(0, width));
    if (same === undefined) byBeginning.set(text.slice(0, width), [text]);
    else same.push(text);
  }
  return (within) => {
    const found: FoundText[] = [];
    for (let at = 0; at + width <= within.length; at++)
      for (const text of byBeginning.get(within.slice(at, at + width)) ?? [])
        if (within.startsWith(text, at)) found.push({ at, text });
    return found;
  };
}

function placesOf(text: string, within: string): FoundText[] {
  const found: FoundText[] = [];
  for (let at = within.indexOf(text); at >= 0; at = within.indexOf(text, at + 1)) found.push({ at, text });
  return found;
}
