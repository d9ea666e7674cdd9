/** Writes figures: rounded in the text for people, and exact in an attribute for programs that read the page. */
import Big from 'big.js';
import type { Exact } from '../../model/report.ts';
import { groupedDigits } from '../number-text.ts';
import { type Html, html } from './html.ts';

const units = [
  [new Big('1e12'), 'T'],
  [new Big('1e9'), 'B'],
  [new Big('1e6'), 'M'],
  [new Big('1e3'), 'K'],
] as const;

/** The text of an unknown figure. */
export const unknown = '–';

/** All digits of the whole number, with separators: `19,564,213`. */
export function wholeText(value: Big): string {
  return grouped(value.toFixed(0));
}

/** About three digits: `19.6 M`, `73.4 K`; up to four for small numbers: `7,345`. */
export function shortText(value: Big): string {
  return value.abs().lt(10_000) && value.abs().gte(1_000) ? wholeText(value) : scaleText(value);
}

/** A number with a unit letter from a thousand on, for an axis, whose numbers should look alike: `8 K`, `10 K`. */
export function scaleText(value: Big): string {
  const size = value.abs();
  for (const [unit, letter] of units)
    if (size.gte(unit)) {
      const inUnits = value.div(unit);
      return `${inUnits.toFixed(inUnits.abs().lt(100) ? 1 : 0)}\u202f${letter}`;
    }
  return value.toFixed(size.lt(10) && !value.eq(value.round()) ? 1 : 0);
}

/** An amount of money such as `1,234.56`. */
export function moneyText(value: Big): string {
  return grouped(value.toFixed(2));
}

/** A share from 0 to 1, written such as `43.2 %`. */
export function percentText(value: Big): string {
  return `${value.times(100).toFixed(1)}\u202f%`;
}

function grouped(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  const text = groupedDigits(whole).replace('-', '−');
  return fraction === undefined ? text : `${text}.${fraction}`;
}

/** A figure in the format of `text`, with its exact value for programs. */
export function figure(exact: Exact, text: (value: Big) => string): Html {
  if (exact === null) return html`<span class="unknown">${unknown}</span>`;
  const value = new Big(exact);
  return html`<data value="${value.toFixed()}">${text(value)}</data>`;
}

/** The change of a figure in words and signs; undefined when it cannot be given. */
export function changeOf(
  now: Exact,
  before: Exact,
): { readonly sign: string; readonly text: string; readonly words: string } | undefined {
  if (now === null || before === null) return undefined;
  const [value, base] = [new Big(now), new Big(before)];
  if (base.eq(0)) return undefined;
  const share = value.minus(base).div(base).times(100);
  const size = share.abs();
  const text = `${size.toFixed(size.lt(10) ? 1 : 0)}\u202f%`;
  if (share.eq(0)) return { sign: '=', text: '', words: 'as much as before' };
  return share.gt(0)
    ? { sign: '▲', text, words: 'more than before' }
    : { sign: '▼', text, words: 'less than before' };
}

/** A number for drawing, which need not be exact. */
export function drawn(exact: Exact): number | null {
  return exact === null ? null : Number(exact);
}

/** The sum of the known figures; null when none is known. */
export function sumOf(figures: readonly Exact[]): Exact {
  const known = figures.filter((each) => each !== null);
  return known.length === 0 ? null : known.reduce((sum, each) => sum.plus(each), new Big(0)).toFixed();
}

/** The share of a part in a whole; null when it cannot be given. */
export function shareOf(part: Exact, whole: Exact): Exact {
  if (part === null || whole === null || new Big(whole).eq(0)) return null;
  return new Big(part).div(whole).toFixed(6);
}

/** Sorts larger figures first, unknown ones last. */
export function largerFirst(a: Exact, b: Exact): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return new Big(b).cmp(a);
}
