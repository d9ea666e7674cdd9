import { expect, it } from 'vitest';
import { textTable } from '../../src/reporting/text-table.ts';

it('a table stands in columns: names to the left, figures to the right, absent ones as a dash', () => {
  const text = textTable(
    ['endpoint', 'rows', 'last day'],
    [
      ['users', 1234567, '2026-03-09'],
      ['activity', null, '–'],
      ['', 0, ''],
    ],
  );
  expect(text.split('\n')).toEqual([
    'endpoint       rows  last day',
    'users     1,234,567  2026-03-09',
    'activity          –  –',
    '                  0',
  ]);
});

it('a table without rows is its headings', () => {
  expect(textTable(['a', 'bc'], [])).toBe('a  bc');
});
