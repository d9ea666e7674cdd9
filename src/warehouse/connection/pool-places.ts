/**
 * Places in a pool that many runs share. Work that holds a connection may need a second one, for keys. If such work took all
 * connections, all of it would wait for ever. So some places are kept for second connections.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';

/** `second`: for short work that waits for no further connection, while its caller may hold one. */
export type Place = 'first' | 'second';

/** A quarter of the places is kept for second connections, and at least so many. */
const leastSeconds = 2;
const shareOfSeconds = 0.25;

const places = new WeakMap<pg.Pool, PoolPlaces>();
const holding = new AsyncLocalStorage<pg.Pool>();

/** Counts the connections of a pool that are lent. */
class PoolPlaces {
  readonly #lent = new WeakSet<pg.PoolClient>();
  readonly #waiting: Record<Place, (() => void)[]> = { first: [], second: [] };
  readonly #seconds: number;
  #free: number;

  constructor(pool: pg.Pool, size: number) {
    this.#free = size;
    this.#seconds = Math.max(leastSeconds, Math.floor(size * shareOfSeconds));
    pool.on('release', (_error, client) => {
      if (this.#lent.delete(client)) this.give();
    });
  }

  /** Resolves when there is a place. Nothing ends the wait: whoever holds a place gives it back. */
  take(place: Place): Promise<void> {
    return new Promise((begin) => {
      this.#waiting[place].push(begin);
      this.#admit();
    });
  }

  /** The place of this client is free again when the pool gets the client back. */
  lend(client: pg.PoolClient): void {
    this.#lent.add(client);
  }

  give(): void {
    this.#free += 1;
    this.#admit();
  }

  #admit(): void {
    for (;;) {
      const queue = this.#waiting.second.length > 0 ? 'second' : 'first';
      const isFree = this.#free > (queue === 'second' ? 0 : this.#seconds);
      const next = isFree ? this.#waiting[queue].shift() : undefined;
      if (next === undefined) return;
      this.#free -= 1;
      next();
    }
  }
}

/** Counts the places of a pool from now on. */
export function countPlaces(pool: pg.Pool, size: number): void {
  places.set(pool, new PoolPlaces(pool, size));
}

/** A connection of the pool, as soon as there is a place for it. Throws the error of the pool. */
export async function connectInPlace(pool: pg.Pool, place: Place): Promise<pg.PoolClient> {
  const counted = places.get(pool);
  if (counted === undefined) return pool.connect();
  await counted.take(holding.getStore() === pool ? 'second' : place);
  try {
    const client = await pool.connect();
    counted.lend(client);
    return client;
  } catch (error) {
    counted.give();
    throw error;
  }
}

/** Does `work` that holds a connection of the pool: other connections that it takes are second ones. */
export function whileHolding<T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> {
  return places.has(pool) ? holding.run(pool, work) : work();
}
