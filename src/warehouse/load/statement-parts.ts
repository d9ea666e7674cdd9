/** Lists for the parameters of statements, a bounded part at a time. */

/** Items of one statement. */
const mostItems = 10_000;
/** Characters of one statement, unless a single item has more. A parameter takes several times as many bytes while it is sent. */
const mostCharacters = 1_000_000;

/** The items in their order, as many at a time as one statement takes. `charactersOf` tells how much text one brings. */
export function* statementParts<Item>(
  items: Iterable<Item>,
  charactersOf: (item: Item) => number,
): Generator<Item[]> {
  let part: Item[] = [];
  let characters = 0;
  for (const item of items) {
    const ofItem = charactersOf(item);
    if (part.length > 0 && (part.length === mostItems || characters + ofItem > mostCharacters)) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(item);
    characters += ofItem;
  }
  if (part.length > 0) yield part;
}
