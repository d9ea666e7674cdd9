/** Numbers as people read them. */

/** A number with its thousands separated, such as `1,234`. */
export function numberText(value: number): string {
  // For whole numbers without Node's tables of all languages, which take twenty milliseconds to load.
  return Number.isSafeInteger(value)
    ? String(value).replace(/\d(?=(?:\d{3})+$)/g, '$&,')
    : value.toLocaleString('en');
}
