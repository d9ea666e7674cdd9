/** Numbers as people read them. */

/** A number with its thousands separated, such as `1,234`. */
export function numberText(value: number): string {
  // For whole numbers without Node's tables of all languages, which take twenty milliseconds to load.
  return Number.isSafeInteger(value) ? groupedDigits(String(value)) : value.toLocaleString('en');
}

/** A whole number, as its digits and perhaps a sign, with its thousands separated. It may have any number of digits. */
export function groupedDigits(digits: string): string {
  const sign = digits.startsWith('-') ? '-' : '';
  const lead = sign.length + ((digits.length - sign.length) % 3);
  const first = digits.slice(sign.length, lead);
  const groups = digits.slice(lead).match(/.{3}/gs) ?? [];
  return sign + [...(first === '' ? [] : [first]), ...groups].join(',');
}

/** How many of something, such as `1 slice` or `1,234 slices`; the plural is given where it takes more than an s. */
export function counted(count: number, thing: string, things = `${thing}s`): string {
  return `${numberText(count)} ${count === 1 ? thing : things}`;
}
