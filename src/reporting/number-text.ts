/** Numbers as people read them. */

/** A number with its thousands separated, such as `1,234`. */
export function numberText(value: number): string {
  // For whole numbers without Node's tables of all languages, which take twenty milliseconds to load.
  return Number.isSafeInteger(value)
    ? String(value).replace(/\d(?=(?:\d{3})+$)/g, '$&,')
    : value.toLocaleString('en');
}

/** How many of something, such as `1 slice` or `1,234 slices`; the plural is given where it takes more than an s. */
export function counted(count: number, thing: string, things = `${thing}s`): string {
  return `${numberText(count)} ${count === 1 ? thing : things}`;
}
