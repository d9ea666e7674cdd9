/** Measures how the time of a backfill grows with days and with users. */
import { type BenchContext, firstDays } from './context.ts';
import { type Figure, fittedExponent } from './figures.ts';
import { startPlatform } from './platform.ts';
import { backfill } from './program.ts';

interface Point {
  readonly label: string;
  readonly rows: number;
  readonly seconds: number;
}

/** How time grows with the number of rows, as an exponent: 1 is linear, 2 quadratic. */
export async function measureGrowth(context: BenchContext): Promise<Figure[]> {
  const { quick } = context;
  const [users, days] = quick ? [200, 15] : [1_000, 30];
  const inDays = await pointsOf(
    context,
    (quick ? [15, 30, 60] : [30, 120, 310]).map((count) => [users, count]),
  );
  const inUsers = await pointsOf(
    context,
    (quick ? [50, 200, 1_000] : [100, 1_000, 10_000]).map((count) => [count, days]),
  );
  return [...figuresOf('days', inDays), ...figuresOf('users', inUsers)];
}

/**
 * For each size the faster of two runs, because noise only adds time. A run before them, which is not measured, fills the
 * platform's cache of answers.
 */
async function pointsOf(
  { server, say }: BenchContext,
  sizes: readonly (readonly [users: number, days: number])[],
): Promise<Point[]> {
  const points: Point[] = [];
  for (const [users, days] of sizes) {
    const label = `${users.toLocaleString('en')} users × ${days} days`;
    say(`growth: ${label}`);
    await using platform = await startPlatform({ users });
    let [rows, seconds] = [0, Number.POSITIVE_INFINITY];
    for (let round = 0; round < 3; round++) {
      await using warehouse = await server.createWarehouse();
      const { summary } = await backfill(platform, warehouse, { days: firstDays(days) });
      rows = summary.rows.inserted;
      // The start of the program is not counted: its time is constant and would hide growth.
      if (round > 0) seconds = Math.min(seconds, summary.duration_ms / 1000);
    }
    points.push({ label, rows, seconds });
  }
  return points;
}

function figuresOf(dimension: string, points: readonly Point[]): Figure[] {
  const [smallest] = points;
  const perRow = ({ seconds, rows }: Point) => (seconds / rows) * 1e6;
  const exponent = (of: readonly Point[]) =>
    fittedExponent(of.map(({ rows, seconds }) => ({ x: rows, y: seconds })));
  const target = { of: 'value', better: 'lower', must: 1.05, aim: 1 } as const;
  return [
    ...points.map((point) => ({
      part: 'growth',
      name: `in ${dimension}: ${point.label}`,
      value: perRow(point),
      unit: 'µs/row',
      ...(smallest === undefined ? {} : { floor: { what: 'the smallest', value: perRow(smallest) } }),
      note: `${point.rows.toLocaleString('en')} rows in ${point.seconds.toFixed(2)} s`,
    })),
    { part: 'growth', name: `exponent in rows, by ${dimension}`, value: exponent(points), unit: '', target },
    {
      part: 'growth',
      name: `exponent between the two largest, by ${dimension}`,
      value: exponent(points.slice(-2)),
      unit: '',
      target,
      note: 'not distorted by the fixed cost of small runs',
    },
  ];
}
