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

const [begin, end] = ['<!-- begin: npm run bench -- --only sizing -->', '<!-- end -->'];

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

/** Two significant digits, whole numbers in full. */
function short(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)));
}

/** Replaces the table between the marks of a document. Throws `RangeError` when the marks are missing. */
export function withSizing(document: string, table: string): string {
  const from = document.indexOf(begin);
  const to = document.indexOf(end, from);
  if (from === -1 || to === -1) throw new RangeError(`expected ${begin} and then ${end} in the document`);
  return `${document.slice(0, from)}${begin}\n\n${table}\n\n${document.slice(to)}`;
}
