/** Runs `verify --archive` and reads what it found. */
import { expect } from 'vitest';
import { z } from 'zod';
import { commandInProcess, type Surroundings } from './commands-in-process.ts';
import type { TestDatabase } from './database.ts';

/** The name of the check. */
export const check = 'figures_in_archive';
const report = z.object({
  run_id: z.number(),
  checks: z.array(z.object({ name: z.string(), compared: z.number(), contradictions: z.number() })),
  failures: z.array(z.object({ check: z.string(), part: z.string(), reason: z.string() })),
  archive: z.object({ slices_compared: z.number(), slices_not_compared: z.number() }),
});

/** Runs the command, and returns every contradiction and how many slices were compared. */
export async function verifyArchive(
  surroundings: Surroundings & { readonly database: TestDatabase },
  commandLine = 'verify --archive',
  clock?: () => number,
) {
  const { json } = await commandInProcess(surroundings, commandLine, clock === undefined ? {} : { clock });
  const { run_id, checks, failures, archive } = report.parse(json);
  const { rows } = await surroundings.database.pool.query<{
    endpoint: string;
    usage_date: string | null;
    expected: string | null;
    actual: string | null;
    detail: string;
  }>(
    `select endpoint, usage_date::text, expected::text, actual::text, detail from etl.check_result
     where run_id = $1 and check_name = $2 and verdict = 'contradiction' order by check_result_id`,
    [run_id, check],
  );
  expect(checks.find(({ name }) => name === check)?.contradictions).toBe(rows.length);
  return { found: rows, archive, failures: failures.filter((failure) => failure.check === check) };
}

/** Changes rows as a person would, one statement after another. Foreign keys and triggers are off. */
export async function byHand({ pool }: TestDatabase, statement: string): Promise<Record<string, unknown>[]> {
  const client = await pool.connect();
  try {
    const results = [
      await client.query<Record<string, unknown>>(`set session_replication_role = replica; ${statement}`),
    ].flat();
    await client.query('reset session_replication_role');
    return results.at(-1)?.rows ?? [];
  } finally {
    client.release();
  }
}
