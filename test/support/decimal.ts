/** A decimal number of any length, exact. Tests compare and add such numbers as text. */

interface Decimal {
  /** The number without its point. */
  readonly digits: bigint;
  /** How many of the digits stand after the point. */
  readonly scale: number;
}

const decimalPattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A number without leading zeros, trailing zeros after the point, or an exponent. */
export function normalDecimal(text: string): string {
  return written(read(text));
}

/** The exact sum of two decimal numbers. */
export function decimalSum(left: string, right: string): string {
  const [a, b] = [read(left), read(right)];
  const scale = Math.max(a.scale, b.scale);
  return written({ digits: atScale(a, scale) + atScale(b, scale), scale });
}

function read(text: string): Decimal {
  const parts = decimalPattern.exec(text);
  if (parts === null) throw new TypeError(`expected a decimal number, got ${JSON.stringify(text)}`);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

function atScale({ digits, scale }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale);
}

function written({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const [whole, fraction] = [text.slice(0, text.length - scale), text.slice(text.length - scale)];
  const significant = fraction.replace(/0+$/, '');
  return `${sign}${whole}${significant === '' ? '' : `.${significant}`}`;
}
