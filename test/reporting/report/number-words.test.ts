import Big from 'big.js';
import { expect, test } from 'vitest';
import {
  changeOf,
  figure,
  moneyText,
  shortText,
  sumOf,
  wholeText,
} from '../../../src/reporting/report/number-words.ts';

test('a figure shows rounded and keeps every digit', () => {
  const exact = '98765432109876543210.123456789';
  expect(`${figure(exact, wholeText)}`).toBe(`<data value="${exact}">98,765,432,109,876,543,210</data>`);
});

test('what is not known is no 0', () => {
  expect(`${figure(null, wholeText)}`).toBe('<span class="unknown">–</span>');
  expect(sumOf([null, null])).toBe(null);
});

test('sums are exact', () => {
  expect(sumOf(['0.1', null, '0.2', '90071992547409930'])).toBe('90071992547409930.3');
});

test.each([
  ['0', '0'],
  ['0.55', '0.6'],
  ['999', '999'],
  ['7345', '7,345'],
  ['12345', '12.3 K'],
  ['233457', '233 K'],
  ['19564212.5', '19.6 M'],
  ['-19564212.5', '-19.6 M'],
  ['4e9', '4.0 B'],
])('%s is %s in short', (exact, short) => {
  expect(shortText(new Big(exact))).toBe(short.replace(' ', '\u202f'));
});

test('groups are those before the point', () => {
  expect(moneyText(new Big('1234567.891234'))).toBe('1,234,567.89');
});

test.each([
  ['112', '100', '▲', '12'],
  ['88', '100', '▼', '12'],
  ['103.44', '100', '▲', '3.4'],
])('%s after %s is a change of %s %s percent', (now, before, sign, percent) => {
  expect(changeOf(now, before)).toMatchObject({ sign, text: `${percent}\u202f%` });
});

test('a change of nothing is none that could be told', () => {
  expect(changeOf('5', '0')).toBe(undefined);
  expect(changeOf('5', null)).toBe(undefined);
  expect(changeOf('5', '5.0')).toMatchObject({ sign: '=' });
});
