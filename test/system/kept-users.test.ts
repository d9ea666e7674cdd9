import { describe, expect, test } from 'vitest';
import {
  answer,
  expectedOf,
  type Fields,
  loadDay,
  many,
  readAgain,
  storedOf,
  writtenDay,
} from '../support/answered-days.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { install } from '../support/installation.ts';
import { bounds } from '../support/tiny-bounds.ts';

const day = (user_id: unknown, sessions: unknown, ...languages: unknown[]): Fields => ({
  user_id,
  user_email: null,
  sessions,
  languages,
  date: writtenDay,
});

describe.each(bounds)('of the users of a day %s', (_where, environment) => {
  const crowd = many(60, (index) => day(`crowd_${index}`, index, 'Go'));
  const before = [day('a', 1, 'Go', 'SQL'), day('b', 2, 'Go'), day('c', 3, 'Zig')];

  async function expectUsers(now: readonly Fields[], held: readonly Fields[]): Promise<void> {
    await using installation = await install();
    answer(installation, 'users', [...crowd, ...before]);
    expect((await loadDay(installation, 'users', environment)).code).toBe(0);
    answer(installation, 'users', [...now, ...crowd]);
    const { code, summary } = await readAgain(installation, 'users', environment);
    expect({ code, rejected: summary.rows.rejected }).toEqual({ code: 0, rejected: 1 });
    expect(await storedOf(installation)).toEqual(expectedOf('users', [...crowd, ...held]));

    const replayed = await loadInProcess(installation, 'replay --endpoints users', { environment });
    expect(replayed.code).toBe(0);
    expect(await storedOf(installation)).toEqual(expectedOf('users', [...crowd, ...held]));
  }

  test('one who cannot be read keeps the row and the languages, also in a replay', () =>
    expectUsers([day('a', 'many', 'Rust'), day('b', 20)], [day('a', 1, 'Go', 'SQL'), day('b', 20)]));

  test('all keep their rows when there is one without an id', () =>
    expectUsers(
      [day(undefined, 9), day('b', 20, 'Go')],
      [...before.slice(0, 1), day('b', 20, 'Go'), day('c', 3, 'Zig')],
    ));

  test('one with a language that cannot be read keeps the languages, and others do not', () =>
    expectUsers(
      [day('a', 10, 7, 'Go'), day('b', 2), day('c', 3, 'Zig')],
      [day('a', 10, 'Go', 'SQL'), day('b', 2), day('c', 3, 'Zig')],
    ));
});
