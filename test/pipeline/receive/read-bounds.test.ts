import { describe, expect, it } from 'vitest';
import { day } from '../../../src/model/day.ts';
import { UnexpectedAnswerError } from '../../../src/model/errors.ts';
import { readOf } from '../../../src/model/source.ts';
import { meterOf } from '../../../src/pipeline/receive/read-bounds.ts';
import { sourceOf } from '../../support/samples.ts';

describe('what a read may bring', () => {
  const users = sourceOf('users');

  function meter(pageSize: number, largestKnown: number | undefined) {
    const read = readOf(users, [day('2026-03-09')]);
    if (read === undefined) throw new RangeError('expected a day');
    return meterOf(read, pageSize, { largestKnown: async () => largestKnown });
  }

  /** Pages after which it is too much, each with so many records. */
  async function mostPages(pageSize: number, onPage: number, largestKnown: number | undefined) {
    const each = meter(pageSize, largestKnown);
    for (let pages = 1; ; pages += 1) {
      each.count({ bytes: 1, records: onPage });
      try {
        await each.refuseEndless();
      } catch (error) {
        expect(error).toBeInstanceOf(UnexpectedAnswerError);
        return pages;
      }
    }
  }

  it.each([
    ['where nothing is known, a million records', 100, 100, undefined, 10_000],
    ['the same, though pages have one each', 100, 1, undefined, 10_000],
    ['in smaller pages', 50, 50, undefined, 20_000],
    ['a thousand pages of an organization that was small', 100, 100, 5, 1_000],
    ['ten times the largest day known', 100, 100, 30_000, 3_000],
    ['the same where the platform gives fewer than asked for', 100, 20, 30_000, 15_000],
    ['and not as many pages as it likes', 100, 1, 30_000, 30_000],
  ])('is bounded: %s', async (_, pageSize, onPage, known, most) => {
    expect(await mostPages(pageSize, onPage, known)).toBe(most);
  });
});
