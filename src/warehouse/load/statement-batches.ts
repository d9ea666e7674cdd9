/** Splits lists into parts that fit into the parameters of one statement. */

/** Most items of one statement. */
const mostItems = 10_000;
/**
 * Most characters of one statement, unless a single item has more. A parameter takes several times its size in memory
 * while it is sent.
 */
const mostCharacters = 1_000_000;

/**
 * The items in their order, as many at a time as fit into one statement. `charactersOf` returns the number of characters
 * in the texts of an item.
 */
export function* statementBatches<Item>(
  items: Iterable<Item>,
  charactersOf: (item: Item) => number,
): Generator<Item[]> {
  let batch: Item[] = [];
  let characters = 0;
  for (const item of items) {
    const ofItem = charactersOf(item);
    if (batch.length > 0 && (batch.length === mostItems || characters + ofItem > mostCharacters)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(item);
    characters += ofItem;
  }
  if (batch.length > 0) yield batch;
}
