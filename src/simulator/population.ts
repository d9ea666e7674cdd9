/**
 * The users of a simulated organization and their active days. Nothing is stored per user: every trait is a hash of the
 * seed and the user's number, so a million users cost no memory.
 */
import { BoundedCache } from './bounded-cache.ts';
import { fraction, hash } from './random.ts';

/** A day of the simulation. */
export interface SimulatedDay {
  /** Days since the organization's first day; negative before it. */
  readonly offset: number;
  /** Day of the week, from 0 for Monday. */
  readonly weekday: number;
}

export interface Population {
  readonly size: number;
  /** The id of the user with this number; ids sort in the order of the numbers. */
  userId(user: number): string;
  /** The number of the first user whose id sorts after `cursor`; 0 without a cursor. */
  firstAfter(cursor: string | undefined): number;
  /** The e-mail of a user that the platform knows on a day; null if it knows none. */
  email(user: number, offset: number): string | null;
  /** Whether a user has this e-mail on that day, in any letter case. */
  hasEmail(email: string, offset: number): boolean;
  /** Relative usage of a user: most are below 1, few up to 40. */
  weight(user: number): number;
  isActive(user: number, day: SimulatedDay): boolean;
  /** The numbers of the active users in ascending order. */
  activeUsers(day: SimulatedDay): Iterable<number>;
  /** Number of users active on at least one of the `length` days that end with `day`. */
  countActive(day: SimulatedDay, length: number): number;
}

const activityByWeekday = [0.96, 1, 1, 0.98, 0.88, 0.2, 0.16] as const;

/** Share of users who are there from the first day on; the others join one by one within a year. */
const initialShare = 0.55;
const growthDays = 365;

/** Days whose active users are kept: more than a month, so that each day is computed once when days are read in order. */
const keptActiveSets = 45;

/** Numbers that make the traits of a user independent of each other. */
const salts = { intensity: 11, joining: 12, activity: 13, email: 14 } as const;

const firstNames = [
  'ada',
  'bjørn',
  'chen',
  'dalia',
  'emeka',
  'farah',
  'goran',
  'hana',
  'ivo',
  'jun',
] as const;
const lastNames = ['moreau', 'okafor', 'sato', "o'neill", 'garcia', 'lindqvist', 'haddad'] as const;

/** Makes the users of an organization; the same seed gives the same users. */
export function createPopulation(seed: number, size: number): Population {
  const activeSets = new BoundedCache<number, Uint32Array>(keptActiveSets);
  const intensity = (user: number) => fraction(seed, user, salts.intensity);

  const userId = (user: number) => `user_${String(user + 1).padStart(9, '0')}`;

  function firstAfter(cursor: string | undefined): number {
    if (cursor === undefined) return 0;
    let [low, high] = [0, size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (userId(middle) > cursor) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  function email(user: number, offset: number): string | null {
    const name = `${firstNames[user % firstNames.length]}.${lastNames[user % lastNames.length]}.${user + 1}`;
    const changesAfter = 2 + (hash(seed, user, salts.email) % 40);
    if (user % 31 === 7) return null;
    if (user % 29 === 5 && offset < changesAfter) return null;
    if (user % 23 === 3 && offset >= changesAfter) return `${name}@new.example.com`;
    return `${user % 37 === 2 ? name.toUpperCase() : name}@example.com`;
  }

  /** Finds the user of an e-mail by the number that every e-mail contains. */
  function hasEmail(text: string, offset: number): boolean {
    const user = Number(/\.(\d{1,7})@/.exec(text)?.[1] ?? 0) - 1;
    return user >= 0 && user < size && email(user, offset)?.toLowerCase() === text.toLowerCase();
  }

  function isActive(user: number, { offset, weekday }: SimulatedDay): boolean {
    if (offset < 0) return false;
    const joining = (fraction(seed, user, salts.joining) - initialShare) / (1 - initialShare);
    if (joining * growthDays > offset) return false;
    const chance = (0.1 + 0.85 * intensity(user)) * (activityByWeekday[weekday] ?? 1);
    return fraction(seed ^ Math.imul(salts.activity, 0x27d4eb2f), user, offset) < chance;
  }

  function* activeUsers(day: SimulatedDay): Iterable<number> {
    for (let user = 0; user < size; user++) if (isActive(user, day)) yield user;
  }

  /** The active users of a day, with one bit per user. */
  function activeSet(day: SimulatedDay): Uint32Array {
    return activeSets.getOrMake(day.offset, () => {
      const set = new Uint32Array(Math.ceil(size / 32));
      for (let user = 0; user < size; user++)
        if (isActive(user, day)) set[user >>> 5] = (set[user >>> 5] ?? 0) | (1 << (user & 31));
      return set;
    });
  }

  function countActive(day: SimulatedDay, length: number): number {
    const union = new Uint32Array(Math.ceil(size / 32));
    for (let back = 0; back < Math.min(length, day.offset + 1); back++) {
      const set = activeSet({ offset: day.offset - back, weekday: (day.weekday + 7 - (back % 7)) % 7 });
      for (let word = 0; word < union.length; word++) union[word] = (union[word] ?? 0) | (set[word] ?? 0);
    }
    return union.reduce((count, word) => count + bitsIn(word), 0);
  }

  const weight = (user: number) => Math.min(40, 0.25 * (1.002 - intensity(user)) ** -0.75);
  return { size, userId, firstAfter, email, hasEmail, weight, isActive, activeUsers, countActive };
}

function bitsIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
