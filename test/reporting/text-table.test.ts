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

const headings = ['month', 'credits', 'users on the busiest day', 'pull requests'];
const rows = [
  ['2026-01', 14_741_076, 107, 7],
  ['2026-02', 5_795_653, 8, 1_011],
];

it('headings of several words are stacked where the table would be wider than the screen', () => {
  expect(textTable(headings, rows, 60).split('\n')[0]).toBe(
    'month       credits  users on the busiest day  pull requests',
  );
  expect(textTable(headings, rows, 59).split('\n')).toEqual([
    '                       users',
    '                          on',
    '                         the',
    '                     busiest      pull',
    'month       credits      day  requests',
    '2026-01  14,741,076      107         7',
    '2026-02   5,795,653        8     1,011',
  ]);
});

it('a row becomes a paragraph where there is no room for columns, and no line is too long', () => {
  const lines = textTable(headings, rows, 36).split('\n');
  expect(lines.slice(0, 5)).toEqual([
    'month                     2026-01',
    'credits                   14,741,076',
    'users on the busiest day  107',
    'pull requests             7',
    '',
  ]);
  for (const width of [1, 10, 20, 40, 60, 80])
    for (const line of textTable(headings, rows, width).split('\n'))
      expect(line.length).toBeLessThanOrEqual(width);
});
