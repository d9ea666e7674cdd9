/** Runs `doctor --json` and reads what it found. */
import { expect } from 'vitest';
import { z } from 'zod';
import type { Installation } from './installation.ts';

const told = z.strictObject({
  ok: z.boolean(),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      status: z.enum(['ok', 'warning', 'failed', 'skipped']),
      detail: z.string().min(1),
      next: z.string().min(1).nullable(),
    }),
  ),
  error: z.string().optional(),
});

type Check = z.infer<typeof told>['checks'][number];

/** Runs `doctor --json` and returns its findings. Expects the exit code that fits them. */
export async function examined(installation: Installation, environment: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await installation.run('doctor --json', environment);
  const { ok, checks, error } = told.parse(JSON.parse(stdout));
  const failed = checks.filter(({ status }) => status === 'failed').map(({ name }) => name);
  expect({ code, ok, error }).toEqual(
    failed.length === 0
      ? { code: 0, ok: true }
      : { code: 2, ok: false, error: `wrong: ${failed.join(', ')}` },
  );
  for (const { status, next } of checks) if (status === 'failed') expect(next).not.toBeNull();
  const find = (name: string): Check | undefined => checks.find((check) => check.name === name);
  return { checks, failed, find, stderr };
}
