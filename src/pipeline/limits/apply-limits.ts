/** `limits apply`: sets credit limits on the platform, and records every request. */
import type { Config } from '../../model/config.ts';
import { InterruptedError } from '../../model/errors.ts';
import {
  figuresOf,
  type LimitsPlan,
  type Outcome,
  type PlannedChange,
  type ReportedChange,
} from '../../model/limit-changes.ts';
import type { WantedLimit } from '../../model/limits-file.ts';
import type { RunReport } from '../../model/run-report.ts';
import { organizationProbes } from '../../sources/registry.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { readKnownLimits } from '../../warehouse/limits/limit-changes.ts';
import { onlyOrganization } from '../organization/asked-organizations.ts';
import { organizationOfNamed } from '../organization/organization-of-credential.ts';
import { takeOrganization } from '../organization/take-organization.ts';
import { warnOfSkipped, withoutForgotten } from '../removal/skip-forgotten.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import type { Warehouse } from '../runs/open-warehouse.ts';
import { type PlatformRun, withPlatformRun } from '../runs/with-run.ts';
import { planLimits } from './plan-limits.ts';
import { sendLimits } from './send-limits.ts';

/** The wanted limits, and the function that asks before anything is sent. */
export interface LimitsJob {
  readonly wanted: readonly WantedLimit[];
  /** The name of the file, for the run ledger. */
  readonly file: string;
  /** Asks whether to send the plan; ends when the signal aborts. Not called for a plan without changes. */
  readonly confirm: (plan: LimitsPlan, organizationId: string, signal: AbortSignal) => Promise<boolean>;
}

/** A plan and its organization; null if the warehouse has no organization yet. */
export interface DryLimitsPlan {
  readonly organizationId: string | null;
  readonly plan: LimitsPlan;
}

/** The result of `limits apply`. */
export interface LimitsReport {
  readonly run: RunReport;
  /** The organization; null if the run ended before it learned it. */
  readonly organizationId: string | null;
  readonly plan: LimitsPlan;
  readonly changes: readonly ReportedChange[];
  /** E-mails in answers that were not in the requests. */
  readonly others: readonly string[];
  /** Entries of answers without a readable e-mail. */
  readonly unreadable: number;
}

/**
 * Plans the changes of `limits apply` from the warehouse alone. Throws `ConfigurationError` if the warehouse holds
 * several organizations and the settings do not say which.
 */
export async function planLimitsDry(
  { pool }: Warehouse,
  config: Pick<Config, 'organization'>,
  wanted: readonly WantedLimit[],
): Promise<DryLimitsPlan> {
  return withSession(pool, async ({ db }) => {
    // --dry-run does not ask the platform, so it cannot learn the organization of these limits.
    const only = await onlyOrganization(db, config, '--dry-run');
    const nothing = { confirmed: new Map(), unknown: [] };
    const known = only === undefined ? nothing : await readKnownLimits(db, only.orgKey);
    const { lines } = await withoutForgotten(db, wanted, nameOf);
    return { organizationId: only?.organizationId ?? null, plan: planLimits(lines, known) };
  });
}

const nameOf = ({ email }: WantedLimit) => email;

/** Runs the job. Throws and reports like `withPlatformRun`. */
export async function applyLimits(job: LimitsJob, surroundings: JobSurroundings): Promise<LimitsReport> {
  const sent = emptyRecord();
  const runJob = {
    name: 'limits apply',
    arguments: { file: surroundings.redact(job.file), users: job.wanted.length },
  };
  const run = await withPlatformRun(surroundings, runJob, (open) => planAndSend(job, open, sent));
  const { organizationId, plan, others, unreadable } = sent;
  const changes = plan.changes.map((change) => ({
    ...change,
    became: sent.outcomes.get(change) ?? { outcome: 'not_sent' as const },
  }));
  return { run, organizationId, plan, changes, others, unreadable };
}

/** The results so far, outside of the run, so that they can be reported if the run is stopped. */
interface SentRecord {
  organizationId: string | null;
  plan: LimitsPlan;
  readonly outcomes: Map<PlannedChange, Outcome>;
  readonly others: string[];
  unreadable: number;
}

function emptyRecord(): SentRecord {
  const plan = { changes: [], alreadySet: 0 };
  return { organizationId: null, plan, outcomes: new Map(), others: [], unreadable: 0 };
}

async function planAndSend(job: LimitsJob, run: PlatformRun, sent: SentRecord): Promise<void> {
  const { client, clock, control, log, onEvent, pool, signal } = run;
  const question = { client, probes: organizationProbes, clock, onEvent };
  // Do not use the control connection: it would take an unreachable platform for a lost database.
  const organizationId = await organizationOfNamed(pool, question, run.config.organization);
  const orgKey = await takeOrganization(run, organizationId);
  const known = await control.use(({ db }) => readKnownLimits(db, orgKey));
  const { lines, skipped } = await control.use(({ db }) => withoutForgotten(db, job.wanted, nameOf));
  warnOfSkipped(log, skipped);
  const plan = planLimits(lines, known);
  sent.organizationId = organizationId;
  sent.plan = plan;
  log.info({ organization: organizationId, ...figuresOf(plan) }, 'credit limits planned');
  if (plan.changes.length === 0) return;
  if (!(await job.confirm(plan, organizationId, signal)))
    throw new InterruptedError('not confirmed: nothing was sent');
  const sending = {
    ...run,
    orgKey,
    known,
    onOutcome: (change: PlannedChange, outcome: Outcome) => void sent.outcomes.set(change, outcome),
    onOthers(emails: readonly string[], unreadable: number) {
      sent.others.push(...emails);
      sent.unreadable += unreadable;
    },
  };
  await sendLimits(sending, plan.changes);
}
