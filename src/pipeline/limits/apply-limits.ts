/** `limits apply`: sets credit limits on the platform, with a record that knows of every request. */
import { createPlatformClient, type PlatformClient } from '../../extract/platform-client.ts';
import { ConfigurationError, InterruptedError } from '../../model/errors.ts';
import {
  figuresOf,
  type LimitsPlan,
  type Outcome,
  type PlannedChange,
  type ReportedChange,
} from '../../model/limit-changes.ts';
import type { WantedLimit } from '../../model/limits-file.ts';
import type { RunReport } from '../../model/run-report.ts';
import { appVersion, userAgent } from '../../model/version.ts';
import { createRunReporter } from '../../reporting/run-reporter.ts';
import { organizationProbes } from '../../sources/registry.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { listOrganizations, organizationKey } from '../../warehouse/ledger/organization.ts';
import { assignRun } from '../../warehouse/ledger/run-ledger.ts';
import { readKnownLimits } from '../../warehouse/limits/limit-changes.ts';
import { organizationOfCredential } from '../organization/organization-of-credential.ts';
import { warnOfSkipped, withoutForgotten } from '../removal/skip-forgotten.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import type { Warehouse } from '../runs/open-warehouse.ts';
import { type OpenRun, recordRun } from '../runs/recorded-run.ts';
import { planLimits } from './plan-limits.ts';
import { sendLimits } from './send-limits.ts';

/** What is to be done, and who is asked before anything is sent. */
export interface LimitsJob {
  readonly wanted: readonly WantedLimit[];
  /** Name of the file, for the run ledger. */
  readonly file: string;
  /** Resolves to whether the plan shall be sent. Not asked about a plan without changes. */
  readonly confirm: (plan: LimitsPlan, organizationId: string) => Promise<boolean>;
}

/** A plan, and whose it is; no organization where the warehouse knows none yet. */
export interface DryLimitsPlan {
  readonly organizationId: string | null;
  readonly plan: LimitsPlan;
}

/** What `limits apply` did. */
export interface LimitsReport {
  readonly run: RunReport;
  /** Null where the run ended before it was known. */
  readonly organizationId: string | null;
  readonly plan: LimitsPlan;
  readonly changes: readonly ReportedChange[];
  /** E-mails in answers that nobody had asked for, and entries of answers that named nobody. */
  readonly others: readonly string[];
  readonly unreadable: number;
}

/**
 * Plans what `limits apply` would send, from the warehouse alone. Throws `ConfigurationError` where that holds several
 * organizations: only the platform knows whose credential it is.
 */
export async function planLimitsDry(
  { pool }: Warehouse,
  wanted: readonly WantedLimit[],
): Promise<DryLimitsPlan> {
  return withSession(pool, async ({ db }) => {
    const [only, ...others] = await listOrganizations(db);
    if (others.length > 0)
      throw new ConfigurationError([
        `--dry-run: expected a warehouse of one organization, got one of ${others.length + 1}; without asking the platform nobody knows whose limits these are`,
      ]);
    const nothing = { confirmed: new Map(), unknown: [] };
    const known = only === undefined ? nothing : await readKnownLimits(db, only.orgKey);
    const { lines } = await withoutForgotten(db, wanted, nameOf);
    return { organizationId: only?.organizationId ?? null, plan: planLimits(lines, known) };
  });
}

const nameOf = ({ email }: WantedLimit) => email;

/** Runs the job to its end on an open warehouse; see `recordRun` for what it throws and reports. */
export async function applyLimits(
  job: LimitsJob,
  surroundings: JobSurroundings,
  { pool }: Warehouse,
): Promise<LimitsReport> {
  const { config, clock, log, redact, abort, timing } = surroundings;
  if (config.platform === undefined) throw new ConfigurationError(['API_BASE_URL, API_KEY: missing']);
  const client = createPlatformClient({
    ...config,
    ...config.platform,
    userAgent,
    signal: abort.signal,
    timing,
    onEvent: (event) => reporter.onEvent(event),
  });
  // Requests are few, and each is a line of the log: a bar would only flicker.
  const reporter = await createRunReporter(log, client.counts, false, surroundings.observers);
  const sent = emptyRecord();
  try {
    const run = await recordRun(
      {
        job: 'limits apply',
        arguments: { file: redact(job.file), users: job.wanted.length },
        appVersion,
        pool,
        clock,
        counts: client.counts,
        lockTimeoutMs: config.lockTimeoutMs,
        onEvent: reporter.onEvent,
        redact,
        abort,
      },
      (open) => planAndSend(job, surroundings, pool, client, open, sent),
    );
    const { organizationId, plan, others, unreadable } = sent;
    const changes = plan.changes.map((change) => ({
      ...change,
      became: sent.outcomes.get(change) ?? { outcome: 'not_sent' as const },
    }));
    return { run, organizationId, plan, changes, others, unreadable };
  } finally {
    reporter.stop();
    await client.close();
  }
}

/** What is known of a run while it goes on, and of one that was stopped. */
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

async function planAndSend(
  job: LimitsJob,
  { clock, log, redact, abort }: JobSurroundings,
  pool: Warehouse['pool'],
  client: PlatformClient,
  { runId, control, report }: OpenRun,
  sent: SentRecord,
): Promise<void> {
  const question = { client, probes: organizationProbes, clock, onEvent: report };
  // Not on the connection with the locks: a platform that cannot be reached is no database that was lost.
  const organizationId = await withSession(pool, ({ db }) => organizationOfCredential(db, question));
  const orgKey = await control.use(async ({ db }) => {
    const key = await organizationKey(db, organizationId);
    await assignRun(db, runId, key);
    return key;
  });
  await control.holdOrganization(orgKey);
  const known = await control.use(({ db }) => readKnownLimits(db, orgKey));
  const { lines, skipped } = await control.use(({ db }) => withoutForgotten(db, job.wanted, nameOf));
  warnOfSkipped(log, skipped);
  const plan = planLimits(lines, known);
  sent.organizationId = organizationId;
  sent.plan = plan;
  log.info({ organization: organizationId, ...figuresOf(plan) }, 'credit limits planned');
  if (plan.changes.length === 0) return;
  if (!(await job.confirm(plan, organizationId)))
    throw new InterruptedError('not confirmed: nothing was sent');
  const sending = {
    pool,
    client,
    orgKey,
    runId,
    known,
    signal: abort.signal,
    redact,
    report,
    onOutcome: (change: PlannedChange, outcome: Outcome) => void sent.outcomes.set(change, outcome),
    onOthers(emails: readonly string[], unreadable: number) {
      sent.others.push(...emails);
      sent.unreadable += unreadable;
    },
  };
  await sendLimits(sending, plan.changes);
}
