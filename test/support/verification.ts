/** Runs `verify`, and reads what it prints with `--json`. */
import { z } from 'zod';
import type { Installation } from './installation.ts';
import type { Ended } from './program.ts';

const contradiction = z.strictObject({
  check: z.string(),
  endpoint: z.string().nullable(),
  usage_date: z.string().nullable(),
  expected: z.string().nullable(),
  actual: z.string().nullable(),
  detail: z.string(),
});

const report = z.strictObject({
  run_id: z.number(),
  status: z.enum(['succeeded', 'partial', 'failed']),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      compared: z.number(),
      ok: z.number(),
      remainders: z.number(),
      contradictions: z.number(),
    }),
  ),
  contradictions: z.array(contradiction),
  failures: z.array(z.strictObject({ check: z.string(), part: z.string(), reason: z.string() })),
  // Present only if the exit code is not 0.
  error: z.string().optional(),
});

export type Report = z.infer<typeof report>;

/** How a verification ended, and what it reported. */
export interface Verified extends Ended {
  readonly report: Report;
}

/** Verifies a range of days; throws when the program prints no report. */
export async function verify(
  { run }: Pick<Installation, 'run'>,
  from: string,
  to = from,
  environment: Readonly<Record<string, string>> = {},
): Promise<Verified> {
  const ended = await run(`verify --from ${from} --to ${to} --json`, environment);
  try {
    return { ...ended, report: report.parse(JSON.parse(ended.stdout)) };
  } catch (cause) {
    throw new Error(`expected a report, got ${ended.stdout}\n${ended.stderr}`, { cause });
  }
}

/** The names of the checks that have remainders, or contradictions, in the order in which they were made. */
export function checksWith(verdict: 'remainders' | 'contradictions', { checks }: Report): string[] {
  return checks.filter((check) => check[verdict] > 0).map(({ name }) => name);
}

/** The counts of one check; throws when it was not made. */
export function checkOf({ checks }: Report, name: string): Report['checks'][number] {
  const found = checks.find((check) => check.name === name);
  if (found === undefined)
    throw new Error(`expected a check ${name}, got ${checks.map((check) => check.name)}`);
  return found;
}
