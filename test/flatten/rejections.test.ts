import { describe, expect, it } from 'vitest';
import { Rejections } from '../../src/flatten/rejections.ts';
import { createSanitizer } from '../../src/model/sanitize.ts';

const key = 'kQ7vXw2ZpL9tRb4NcY8mJd';
const redact = createSanitizer([key]);
const mebibyte = 1024 * 1024;

function rejectionsOf(count: number, payload: (index: number) => unknown, path = 'by_user[]'): Rejections {
  const rejections = new Rejections(redact);
  for (let index = 0; index < count; index++) rejections.add(path, () => `reason ${index}`, payload(index));
  return rejections;
}

describe('rejections', () => {
  it('are all kept, each with its reason and payload, where they are not many', () => {
    const rejections = rejectionsOf(3, (index) => ({ index }));
    rejections.add('', () => 'no record', null);
    expect(rejections.all).toEqual({
      count: 4,
      kept: [
        { path: 'by_user[]', reason: 'reason 0', payload: '{"index":0}' },
        { path: 'by_user[]', reason: 'reason 1', payload: '{"index":1}' },
        { path: 'by_user[]', reason: 'reason 2', payload: '{"index":2}' },
        { path: '', reason: 'no record', payload: 'null' },
      ],
    });
    expect(rejections.at('by_user[]')).toMatchObject({ count: 3, first: 'reason 0' });
    expect(rejections.at('by_model[]')).toMatchObject({ count: 0 });
  });

  it.each([
    ['of a few bytes', 100_000, () => 1],
    ['of many', 300, () => 'x'.repeat(100_000)],
  ])(
    '%s are kept within bounds; the others are counted by path, with the first reason',
    (_, count, payload) => {
      const rejections = rejectionsOf(count, payload);
      for (const path of ['', 'by_model[]']) rejections.add(path, () => `of ${path}`, 0);
      const { count: all, kept } = rejections.all;
      expect(all).toBe(count + 2);
      const size = kept.reduce((sum, { reason, payload: text }) => sum + reason.length + text.length, 0);
      expect(size).toBeLessThan(9 * mebibyte);
      expect(kept.length).toBeGreaterThan(50);
      expect(kept.slice(-3).map(({ path, payload: text }) => [path, text])).toEqual([
        ['by_user[]', 'null'],
        ['', 'null'],
        ['by_model[]', 'null'],
      ]);
      expect(kept.at(-3)?.reason).toMatch(
        new RegExp(`^${count - kept.length + 3} more were counted but not kept.*the first one: reason 0$`),
      );
      expect(kept.at(-1)?.reason).toMatch(/^1 more .*: of by_model\[\]$/);
    },
  );

  it('ask for no reason that nobody will read', () => {
    const rejections = rejectionsOf(50_000, () => 1);
    rejections.add('by_user[]', () => expect.fail('asked'), 1);
    expect(rejections.all.count).toBe(50_001);
  });

  it('hide secrets before anything is cut, in names too, and leave all else of a payload as it is', () => {
    const rejections = new Rejections(redact);
    for (let before = 900; before < 1_010; before++)
      rejections.add('', () => `${'x'.repeat(before)}${key}`, { [key]: [`of ${key}`], mail: 'a@b.example' });
    for (const { reason, payload } of rejections.all.kept) {
      expect(payload).toBe('{"[redacted]":["of [redacted]"],"mail":"a@b.example"}');
      for (let start = 0; start + 6 <= key.length; start++)
        expect(reason).not.toContain(key.slice(start, start + 6));
    }
  });

  it('say of a payload that is too large how large it was', () => {
    const [rejected] = rejectionsOf(1, () => ['x'.repeat(2 * mebibyte)]).all.kept;
    expect(rejected?.payload).toBe('"[left out: 2097156 characters]"');
  });
});
