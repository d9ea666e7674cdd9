/** The figures of a benchmark, with their floors and targets. */

/** A bound that a figure must meet (`must`), and a better bound to aim at (`aim`). */
export interface Target {
  /** The compared value: the figure itself, or its ratio to the floor. */
  readonly of: 'value' | 'ratio';
  readonly better: 'lower' | 'higher';
  readonly must: number;
  readonly aim: number;
}

/** The least cost of the same work, without this program, measured in the same run and in the same unit. */
export interface Floor {
  readonly what: string;
  readonly value: number;
}

/** One row of the table. */
export interface Figure {
  readonly part: string;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly floor?: Floor;
  readonly target?: Target;
  readonly note?: string;
}

/** Which bound of its target a figure met; undefined for a figure without a target. */
export type Verdict = 'aim met' | 'must met' | 'missed' | undefined;

/** The figure as a multiple of its floor; undefined without a floor. */
export function ratioOf({ value, floor }: Figure): number | undefined {
  return floor === undefined ? undefined : value / floor.value;
}

/** Compares a figure with its target. A figure that is NaN misses it. */
export function verdictOf(figure: Figure): Verdict {
  const { target } = figure;
  if (target === undefined) return undefined;
  const measured = (target.of === 'value' ? figure.value : ratioOf(figure)) ?? Number.NaN;
  const meets = (bound: number) => (target.better === 'lower' ? measured <= bound : measured >= bound);
  if (meets(target.aim)) return 'aim met';
  return meets(target.must) ? 'must met' : 'missed';
}

/** The median. Throws `RangeError` without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  if (low === undefined || high === undefined) throw new RangeError('expected values, got none');
  return (low + high) / 2;
}

/** The exponent `b` of the best fit `y = a · x^b` (least squares of the logarithms). */
export function fittedExponent(points: readonly { readonly x: number; readonly y: number }[]): number {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }));
  const meanX = logs.reduce((sum, { x }) => sum + x, 0) / logs.length;
  const meanY = logs.reduce((sum, { y }) => sum + y, 0) / logs.length;
  const covariance = logs.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / logs.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
}
