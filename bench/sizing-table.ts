/** What `npm run bench -- --only sizing` measured, as the table that docs/operations.md shows. */
import { z } from 'zod';

/** What `bench/results/sizing.json` holds. */
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

/** A table of Markdown, under a line that says when it was measured. */
export function sizingTable({ machine: { date, postgres }, figures }: z.infer<typeof sizingResults>): string {
  return [
    `${date}, Postgres ${postgres}:`,
    '',
    '| what | takes | measured with |',
    '|---|---|---|',
    ...figures.map(({ name, value, unit, note }) => `| ${name} | ${short(value)} ${unit} | ${note} |`),
  ].join('\n');
}

/** Two digits that mean something, whole numbers in full. */
function short(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)));
}

/** A document with another table between its marks. Throws `RangeError` where these are missing. */
export function withSizing(document: string, table: string): string {
  const from = document.indexOf(begin);
  const to = document.indexOf(end, from);
  if (from === -1 || to === -1) throw new RangeError(`expected ${begin} and then ${end} in the document`);
  return `${document.slice(0, from)}${begin}\n\n${table}\n\n${document.slice(to)}`;
}
