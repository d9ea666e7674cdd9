import { expect, test } from 'vitest';
import { columnsOf, terminalOf } from '../../src/reporting/terminal.ts';

const screen = { isTTY: true, columns: 80 };

test.each([
  [{}, { isTerminal: true, moves: true, colors: true }],
  [{ NO_COLOR: '1' }, { isTerminal: true, moves: true, colors: false }],
  [{ NO_COLOR: '' }, { isTerminal: true, moves: true, colors: true }],
  [{ TERM: 'dumb' }, { isTerminal: true, moves: false, colors: false }],
  [{ CI: 'true' }, { isTerminal: true, moves: false, colors: false }],
  [{ CI: 'false' }, { isTerminal: true, moves: true, colors: true }],
])('a terminal with %o', (environment, expected) => {
  expect(terminalOf(screen, environment)).toEqual(expected);
});

test('a pipe neither moves nor has colours nor an end to its lines', () => {
  expect(terminalOf({}, {})).toEqual({ isTerminal: false, moves: false, colors: false });
  expect(columnsOf({ columns: 80 })).toBe(Number.POSITIVE_INFINITY);
});

test('a terminal that does not tell its width has the usual one', () => {
  expect([columnsOf(screen), columnsOf({ isTTY: true, columns: 0 }), columnsOf({ isTTY: true })]).toEqual([
    80, 80, 80,
  ]);
});
