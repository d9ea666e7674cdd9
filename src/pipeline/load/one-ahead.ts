/** Overlaps the making of items with their use. */

/** The same items; while the caller has one, the next is being made. */
export async function* oneAhead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let next = items.next();
  try {
    for (;;) {
      const { value, done } = await next;
      if (done === true) return;
      next = items.next();
      // It is waited for in the next round. Until then, a rejection must not count as unhandled.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await next.catch(() => undefined);
    await items.return(undefined);
  }
}
