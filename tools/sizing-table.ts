/** The results of `npm run bench -- --only sizing` as the table in docs/operations.md. */
import { z } from 'zod';

/** The content of `bench/results/sizing.json`. */
export const sizingResults = z.object({
  machine: z.object({ date: z.string(), postgres: z.string() }),
  quick: z.literal(false),
  figures: z
    .array(
      z.object({
        part: z.literal('sizing'),
        name: z.string(),
        value: z.number(),
        unit: z.string(),
        note: z.string(),
      }),
    )
    .min(1),
});

/** A Markdown table below a line with date and version. */
export function sizingTable({ machine: { date, postgres }, figures }: z.infer<typeof sizingResults>): string {
  return [
    `${date}, Postgres ${postgres}:`,
    '',
    '| what | takes | measured with |',
    '|---|---|---|',
    ...figures.map(({ name, value, unit, note }) => `| ${name} | ${short(value)} ${unit} | ${note} |`),
  ].join('\n');
}

/** A number with two significant digits; from 10 on it is rounded to a whole number. */
function short(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)));
}
