/** Writes numbers for people. */

/** A number with thousands separators, such as `1,234`. */
export function numberText(value: number): string {
  // Whole numbers are written without Node's locale data, which takes twenty milliseconds to load.
  return Number.isSafeInteger(value) ? groupedDigits(String(value)) : value.toLocaleString('en');
}

/** Adds thousands separators to a whole number of any length, with or without a sign. */
export function groupedDigits(digits: string): string {
  const sign = digits.startsWith('-') ? '-' : '';
  const lead = sign.length + ((digits.length - sign.length) % 3);
  const first = digits.slice(sign.length, lead);
  const groups = digits.slice(lead).match(/.{3}/gs) ?? [];
  return sign + [...(first === '' ? [] : [first]), ...groups].join(',');
}

/** A number and its noun, such as `1 slice` or `1,234 slices`; `things` is an irregular plural. */
export function counted(count: number, thing: string, things = `${thing}s`): string {
  return `${numberText(count)} ${count === 1 ? thing : things}`;
}
