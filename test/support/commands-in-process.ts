/** Runs command lines in the process of the test: this is fast, and a test can set the clock. */
import { Command } from 'commander';
import { z } from 'zod';
import { job as backfill } from '../../jobs/backfill.ts';
import { addOptions } from '../../jobs/command-line.ts';
import { job as forgetUser } from '../../jobs/forget-user.ts';
import type { Job, JobFamily } from '../../jobs/job.ts';
import { job as maintenance } from '../../jobs/maintenance.ts';
import { job as migrate } from '../../jobs/migrate.ts';
import { job as nightly } from '../../jobs/nightly.ts';
import { job as replay } from '../../jobs/replay.ts';
import { job as sessions } from '../../jobs/sessions.ts';
import { job as status } from '../../jobs/status.ts';
import { job as verify } from '../../jobs/verify.ts';
import type { Clock } from '../../src/model/clock.ts';
import { type EndedInProcess, type InProcess, runInProcess } from './in-process.ts';

const jobs: Readonly<Record<string, Job | JobFamily>> = {
  backfill,
  'forget-user': forgetUser,
  maintenance,
  migrate,
  nightly,
  replay,
  sessions,
  status,
  verify,
};

/** What a command needs of an installation. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string>>;
}

/** How a command runs, where it differs from the settings of the installation. */
export interface CommandChanges extends InProcess {
  readonly environment?: Readonly<Record<string, string>>;
  /** Decides which day is yesterday; default the machine's clock. */
  readonly clock?: Clock;
}

const counts = z.record(z.string(), z.number());

/** The fields that these tests read of the object that a loading command prints. */
const summary = z.object({
  run_id: z.number(),
  status: z.string(),
  slices: counts,
  refused: z
    .array(
      z.object({
        endpoint: z.string(),
        slice_key: z.string(),
        table: z.string(),
        held: z.number(),
        would_hold: z.number(),
      }),
    )
    .optional(),
  rows: counts,
  requests: counts,
  forgotten: z.number().optional(),
});

/** How a loading command ended. */
export interface LoadedInProcess extends Pick<EndedInProcess, 'code' | 'error'> {
  readonly summary: z.infer<typeof summary>;
}

/** Runs a command such as `status --check`; resolves to its exit code and to what `--json` would print. */
export async function commandInProcess(
  { environment }: Surroundings,
  commandLine: string,
  changes: CommandChanges = {},
): Promise<EndedInProcess> {
  const [name = '', ...words] = commandLine.split(' ');
  const known = jobs[name];
  const isFamily = known !== undefined && 'jobs' in known;
  const job = isFamily ? known.jobs.find((each) => each.name === words[0]) : known;
  const rest = isFamily ? words.slice(1) : words;
  if (job === undefined) throw new RangeError(`expected one of ${Object.keys(jobs)}, got ${commandLine}`);
  const command = new Command(name).exitOverride();
  addOptions(command, job);
  command.parse(rest, { from: 'user' });
  return await runInProcess(
    job,
    command.opts(),
    { ...environment, ...changes.environment },
    changes.clock,
    command.args,
    changes,
  );
}

/** Runs `backfill`, `nightly` or `replay`; throws when it ends without a summary. */
export async function loadInProcess(
  surroundings: Surroundings,
  commandLine: string,
  changes?: CommandChanges,
): Promise<LoadedInProcess> {
  const { json, ...ended } = await commandInProcess(surroundings, commandLine, changes);
  return { ...ended, summary: summary.parse(json) };
}
