/** Makes the next item while the caller uses the current one. */

/** Yields the items of `items`. Each is made while the caller still uses the one before it. */
export async function* oneAhead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let next = items.next();
  try {
    for (;;) {
      const { value, done } = await next;
      if (done === true) return;
      next = items.next();
      // `next` is awaited in the next round. Until then, a rejection must not count as unhandled.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await next.catch(() => undefined);
    await items.return(undefined);
  }
}
