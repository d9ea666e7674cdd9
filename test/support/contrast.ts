/** How much colours stand out from each other. */

/** The ratio of WCAG 2 between two colours as CSS writes them, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(color).map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Red, green and blue from 0 to 1, of `#rrggbb`, `rgb(r, g, b)` or `color(srgb r g b)`. */
function partsOf(color: string): number[] {
  const hex = /^#(..)(..)(..)$/.exec(color);
  if (hex !== null) return hex.slice(1).map((part) => Number.parseInt(part, 16) / 255);
  const numbers = (color.match(/[\d.]+/g) ?? []).map(Number);
  if (color.startsWith('color(srgb')) return numbers;
  if (color.startsWith('rgb')) return numbers.slice(0, 3).map((part) => part / 255);
  throw new Error(`expected a colour, got ${color}`);
}
