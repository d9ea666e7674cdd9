/** A platform on which credit limits of users can be set, and files with limits. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { job as apply } from '../../jobs/limits/apply.ts';
import { type LimitsRequest, limitsRequest, setLimits } from '../../src/model/platform/credit-limits.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import type { SimulatedRequest } from '../../src/simulator/server.ts';
import { UserLimits } from '../../src/simulator/user-limits.ts';
import { runInProcess } from './in-process.ts';
import { type Installation, type InstallationOptions, install } from './installation.ts';

const { path: limitsPath } = setLimits;

/** The fields that tests read of what `limits apply --json` prints. */
const applied = z.looseObject({
  run_id: z.number(),
  status: z.string(),
  outcomes: z.record(z.string(), z.number()),
  changes: z.array(
    z.looseObject({
      email: z.string(),
      outcome: z.string(),
      confirmed_limit: z.number().nullable(),
      error: z.string().nullable(),
    }),
  ),
  not_asked_for: z.array(z.string()),
});

export type Applied = z.infer<typeof applied>;

/** Reads what `limits apply --json` printed. */
export const appliedOf = (json: unknown): Applied => applied.parse(json);

export interface LimitsInstallation extends Installation {
  readonly limits: UserLimits;
  /** The users in each request for limits. */
  asked(): LimitsRequest['users'][];
  /** The path of a file with these lines below its header. */
  fileOf(lines: readonly string[]): Promise<string>;
  /** Applies a file with these lines, without asking. */
  apply(
    lines: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ): Promise<{ readonly code: number; readonly applied: Applied }>;
  /** Rows of `etl.credit_limit_change`, oldest first. */
  audit(): Promise<AuditRow[]>;
  /** The limits that the warehouse knows, by e-mail. */
  known(): Promise<Record<string, number | null>>;
}

export interface AuditRow {
  readonly email: string;
  readonly requested: number | null;
  readonly outcome: string;
  readonly confirmed: number | null;
  readonly error: string | null;
}

/**
 * Sets up an installation. Every e-mail is that of a user, unless it begins with `nobody`. `limitsFault` is called for
 * requests for limits only.
 */
export async function installLimits(
  options: InstallationOptions & {
    readonly limitsFault?: (request: SimulatedRequest) => Fault | undefined;
  } = {},
): Promise<LimitsInstallation> {
  const limits = new UserLimits((email) => !email.startsWith('nobody'));
  const { limitsFault, ...others } = options;
  const installation = await install({
    users: 3,
    limits,
    fault: (request) => (request.path === limitsPath ? limitsFault?.(request) : undefined),
    ...others,
  });
  const folder = await mkdtemp(join(tmpdir(), 'usage-etl-limits-'));
  const { pool } = installation.database;
  let files = 0;
  const fileOf = async (lines: readonly string[]) => {
    const file = join(folder, `limits-${files++}.csv`);
    await writeFile(file, ['email,limit', ...lines, ''].join('\n'));
    return file;
  };
  return {
    ...installation,
    limits,
    fileOf,
    asked: () =>
      installation.simulator.requests
        .filter(({ path }) => path === limitsPath)
        .map(({ body }) => limitsRequest.parse(JSON.parse(body)).users),
    async apply(lines, environment = {}) {
      const words = [await fileOf(lines)];
      const { code, json } = await runInProcess(
        apply,
        { yes: true },
        { ...installation.environment, ...environment },
        Date.now,
        words,
      );
      return { code, applied: appliedOf(json) };
    },
    async audit() {
      const { rows } = await pool.query<AuditRow>(
        `select user_email as email, requested_limit::float8 as requested, outcome,
          confirmed_limit::float8 as confirmed, error
        from etl.credit_limit_change order by change_id`,
      );
      return rows;
    },
    async known() {
      const { rows } = await pool.query<{ user_email: string; limit_credits: number | null }>(
        'select user_email, limit_credits::float8 from warehouse.credit_limit order by 1',
      );
      return Object.fromEntries(rows.map(({ user_email, limit_credits }) => [user_email, limit_credits]));
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true });
      await installation[Symbol.asyncDispose]();
    },
  };
}
