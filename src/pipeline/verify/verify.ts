/** `verify`: compares the warehouse with the platform's grouped answers, with itself, and with its ledger. */
import PQueue from 'p-queue';
import { explain, WarehouseError } from '../../model/errors.ts';
import { inShell } from '../../model/installation.ts';
import type { RunReport } from '../../model/run-report.ts';
import type { Read, Source } from '../../model/source.ts';
import type {
  CheckCounts,
  CheckSummary,
  ComparedSlices,
  Contradiction,
  Remainder,
  VerificationReport,
} from '../../model/verification.ts';
import { organizationProbes } from '../../sources/registry.ts';
import { readSqlChecks } from '../../warehouse/checks/all-checks.ts';
import {
  type Check,
  readContradictions,
  readRemainders,
  recordAgreement,
  recordComparisons,
} from '../../warehouse/checks/check-results.ts';
import type { SqlCheck } from '../../warehouse/checks/sql-checks.ts';
import { withTransaction } from '../../warehouse/connection/connection.ts';
import { listOrganizations } from '../../warehouse/ledger/organization.ts';
import { assignRun } from '../../warehouse/ledger/run-ledger.ts';
import { readLedger } from '../../warehouse/ledger/slice-ledger.ts';
import { learnOrganization } from '../organization/learn-organization.ts';
import { refuseOtherName } from '../organization/name-of-organization.ts';
import { refuseAnotherOrganization } from '../organization/organization-of-credential.ts';
import { awaitOrganization } from '../organization/take-organization.ts';
import { workThrough } from '../receive/lanes.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { type OpenRun, type PlatformRun, withPlatformRun } from '../runs/with-run.ts';
import { archiveCheckName, compareWithArchive } from './compare-archive.ts';
import { compareEmpty, emptyDaysCheck } from './compare-empty.ts';
import { compareRead, groupedCheckName, isGrouped } from './compare-grouped.ts';
import {
  plannedSteps,
  planVerification,
  type VerificationPlan,
  type VerifyJob,
} from './plan-verification.ts';

/** Most contradictions in a report; `etl.check_result` has all of them. */
const mostListed = 100;
/** SQL checks that run at the same time. Each keeps one processor of the server busy, and a small server has two. */
const checksAtOnce = 2;

/** The results of a run so far. */
interface Findings {
  readonly checks: CheckSummary[];
  contradictions: readonly Contradiction[];
  remainders: readonly Remainder[];
  archive: ComparedSlices | undefined;
}

/**
 * Verifies the organization of the credential and records the results in `etl.check_result`. It waits for other runs of the
 * organization, because it asks the platform with the same budget. If a check cannot be made, this is reported, and the
 * other checks are made. Throws and reports like `withPlatformRun`.
 */
export async function verify(
  job: VerifyJob,
  surroundings: JobSurroundings,
): Promise<VerificationReport & Pick<RunReport, 'summary'>> {
  const findings: Findings = { checks: [], contradictions: [], remainders: [], archive: undefined };
  const withArchive = job.archive === 'none' ? {} : { archive: true };
  const runJob = { name: 'verify', arguments: { ...job.range, ...withArchive }, showsBar: true };
  const { summary, failures, stoppedBy } = await withPlatformRun(surroundings, runJob, (run) =>
    makeChecks(job, run, findings),
  );
  return { runId: summary.run_id, status: summary.status, summary, ...findings, failures, stoppedBy };
}

async function makeChecks(job: VerifyJob, run: PlatformRun, findings: Findings): Promise<void> {
  const { range } = job;
  const { client, clock, control, onEvent } = run;
  const question = { client, probes: organizationProbes, clock, onEvent };
  const { organizationId } = await learnOrganization(question, job.yesterday);
  const orgKey = await control.use(async ({ db }) => {
    await refuseOtherName(db, run.config.organization, organizationId);
    await refuseAnotherOrganization(db, question, organizationId);
    const known = await listOrganizations(db);
    const key = known.find((organization) => organization.organizationId === organizationId)?.orgKey;
    if (key === undefined)
      throw new WarehouseError(
        `the warehouse has no data of organization ${organizationId}, to which the credential belongs; run \`${inShell('backfill')}\` first`,
      );
    await assignRun(db, run.runId, key);
    return key;
  });
  await awaitOrganization(run, orgKey, { lockTimeoutMs: run.config.lockTimeoutMs, signal: run.signal });
  const plan = await control.use(({ db }) => planVerification(db, orgKey, job, run));
  const sqlChecks = await readSqlChecks(job.sources);
  onEvent(plannedSteps(plan, sqlChecks.length));
  findings.checks.push(...(await compareWithPlatform(job, plan, run, { organizationId, orgKey })));
  const queue = new PQueue({ concurrency: checksAtOnce });
  const made = sqlChecks.map((sqlCheck) => async () => {
    run.signal.throwIfAborted();
    const check = { runId: run.runId, orgKey, range, name: sqlCheck.name };
    return makeSqlCheck(run, check, sqlCheck);
  });
  findings.checks.push(...(await queue.addAll(made)));
  if (job.archive !== 'none') await compareFigures(job, orgKey, run, findings);
  await control.use(async ({ db }) => {
    findings.contradictions = await readContradictions(db, run.runId, mostListed);
    findings.remainders = await readRemainders(db, run.runId);
  });
}

async function compareFigures(
  { sources, range, archive }: VerifyJob,
  orgKey: number,
  run: OpenRun,
  findings: Findings,
): Promise<void> {
  const { runId, control, onEvent } = run;
  const ledger = await control.use(({ db }) => readLedger(db, orgKey));
  const { counts, compared, notCompared } = await compareWithArchive({
    ...run,
    settings: run.config,
    sources,
    range,
    all: archive === 'all',
    orgKey,
    ledger,
  });
  const name = archiveCheckName;
  await control.use(({ db }) => recordAgreement(db, { runId, orgKey, range, name }, counts));
  onEvent({ type: 'check-done', check: name, ...counts, rowsRead: 0 });
  findings.checks.push({ name, ...counts });
  findings.archive = { slices_compared: compared, slices_not_compared: notCompared };
}

async function compareWithPlatform(
  job: VerifyJob,
  { grouped, empty, windows }: VerificationPlan,
  run: PlatformRun,
  { organizationId, orgKey }: { readonly organizationId: string; readonly orgKey: number },
): Promise<CheckSummary[]> {
  const { range } = job;
  const { runId, control, onEvent, signal, stop } = run;
  const { windowDays, pageSize } = run.config;
  const names = [
    ...job.sources.filter(isGrouped).map(groupedCheckName),
    ...(empty.length > 0 ? [emptyDaysCheck] : []),
  ];
  const found = new Map(names.map((name) => [name, { counts: noCounts, rowsRead: 0 }]));
  const context = {
    ...run,
    pageSize,
    organizationId,
    orgKey,
    onCompared(name: string, counts: CheckCounts, rowsRead: number) {
      const before = found.get(name);
      found.set(name, {
        counts: added(before?.counts ?? noCounts, counts),
        rowsRead: (before?.rowsRead ?? 0) + rowsRead,
      });
    },
    onWindowSplit({ name }: Source, days: number) {
      windows.set(name, Math.min(days, windows.get(name) ?? days));
    },
  };
  const compareAll = (reads: readonly Read[], compare: typeof compareRead) =>
    workThrough(reads, {
      pageLanes: 1,
      windowDays: (source) => windows.get(source.name) ?? windowDays,
      process: async (read, requestOptions) => {
        try {
          return await compare(context, read, requestOptions);
        } catch (error) {
          stop(error);
          throw error;
        } finally {
          onEvent({ type: 'steps-done', kind: 'compare', steps: read.slices.length });
        }
      },
      signal,
    });
  await compareAll(grouped, compareRead);
  await compareAll(empty, compareEmpty);
  const summaries: CheckSummary[] = [];
  for (const name of names) {
    const { counts, rowsRead } = found.get(name) ?? { counts: noCounts, rowsRead: 0 };
    await control.use(({ db }) => recordAgreement(db, { runId, orgKey, range, name }, counts));
    onEvent({ type: 'check-done', check: name, ...counts, rowsRead });
    summaries.push({ name, ...counts });
  }
  return summaries;
}

async function makeSqlCheck(
  { pool, signal, redact, onEvent }: OpenRun,
  check: Check,
  { name, comparisons }: SqlCheck,
): Promise<CheckSummary> {
  try {
    const counts = await withTransaction(pool, async (session) => {
      const found = await recordComparisons(session, check, comparisons);
      await recordAgreement(session.db, check, found);
      return found;
    });
    onEvent({ type: 'check-done', check: name, ...counts, rowsRead: 0 });
    return { name, ...counts };
  } catch (error) {
    signal.throwIfAborted();
    onEvent({ type: 'check-failed', check: name, part: '', reason: redact(explain(error)) });
    return { name, ...noCounts };
  } finally {
    onEvent({ type: 'steps-done', kind: 'check', steps: 1 });
  }
}

const noCounts: CheckCounts = { compared: 0, ok: 0, remainders: 0, contradictions: 0 };

function added(a: CheckCounts, b: CheckCounts): CheckCounts {
  return {
    compared: a.compared + b.compared,
    ok: a.ok + b.ok,
    remainders: a.remainders + b.remainders,
    contradictions: a.contradictions + b.contradictions,
  };
}
