/** A cache with a bounded total size: the values that were not used for longest leave first. Too large ones are not kept. */
export class BoundedCache<Key, Value> {
  readonly #entries = new Map<Key, { value: Value; size: number }>();
  readonly #capacity: number;
  #size = 0;

  /** `capacity` is the largest sum of the sizes that `set` gets. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: Key, value: Value, size = 1): void {
    this.#drop(key);
    if (size > this.#capacity) return;
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#capacity) break;
      this.#drop(oldest);
    }
  }

  /** The kept value, or the one that `make` returns, which is then kept with size 1. */
  getOrMake(key: Key, make: () => Value): Value {
    const kept = this.get(key);
    if (kept !== undefined) return kept;
    const made = make();
    this.set(key, made);
    return made;
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }

  #drop(key: Key): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}
