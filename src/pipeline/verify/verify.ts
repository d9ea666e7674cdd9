/** Proves the numbers: the warehouse against the platform's grouped answers, against itself, and against its ledger. */
import PQueue from 'p-queue';
import type { PlatformClient } from '../../extract/platform-client.ts';
import { type DayRange, today } from '../../model/day.ts';
import { explain, WarehouseError } from '../../model/errors.ts';
import type { ForgottenPersons } from '../../model/forgotten-persons.ts';
import { inShell } from '../../model/installation.ts';
import type { Read, Source } from '../../model/source.ts';
import type {
  CheckCounts,
  CheckSummary,
  ComparedSlices,
  Contradiction,
  Remainder,
  VerificationReport,
} from '../../model/verification.ts';
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
import { readRequestWindows } from '../../warehouse/ledger/request-window.ts';
import { assignRun } from '../../warehouse/ledger/run-ledger.ts';
import { readLedger } from '../../warehouse/ledger/slice-ledger.ts';
import { readForgotten } from '../../warehouse/removal/forgotten-names.ts';
import { learnOrganization } from '../organization/learn-organization.ts';
import { refuseAnotherOrganization } from '../organization/organization-of-credential.ts';
import { planComparison } from '../plan/plan.ts';
import { workThrough } from '../receive/lanes.ts';
import { type OpenRun, type RunOptions, recordRun } from '../runs/recorded-run.ts';
import {
  type ArchiveContext,
  type ArchiveSettings,
  archiveCheckName,
  compareWithArchive,
} from './compare-archive.ts';
import { compareEmpty, emptyDaysCheck } from './compare-empty.ts';
import { compareRead, groupedCheckName, isGrouped } from './compare-grouped.ts';

/** What to verify. */
export interface VerifyOptions extends Omit<RunOptions, 'counts' | 'job'> {
  readonly sources: readonly Source[];
  readonly range: DayRange;
  readonly client: PlatformClient;
  /** Asked for one day to learn the organization. */
  readonly probes: readonly Source[];
  /** Days that the platform serves, the last of which the probes are asked for. */
  readonly servedDays: DayRange;
  readonly windowDays: number;
  readonly pageSize: number;
  /** How the raw archive is read, to compare every figure with it; undefined: it is not. */
  readonly archive?: (ArchiveSettings & Pick<ArchiveContext, 'all'>) | undefined;
  /** Gets to know who is forgotten; those who look through it name nobody. */
  readonly persons: ForgottenPersons;
}

/** Contradictions that a report lists; all are in `etl.check_result`. */
const mostListed = 100;
/** Each keeps a processor of the server busy; two are what a small one has. */
const checksAtOnce = 2;

/** What a run has found so far. */
interface Findings {
  readonly checks: CheckSummary[];
  contradictions: readonly Contradiction[];
  remainders: readonly Remainder[];
  archive: ComparedSlices | undefined;
}

/**
 * Verifies the organization of the credential and keeps the results in `etl.check_result`. Reads the facts and
 * writes none, so it takes no lock on the organization. A check that cannot be made is reported, the others are
 * made; see `recordRun` for what stops a run.
 */
export async function verify(options: VerifyOptions): Promise<VerificationReport> {
  const findings: Findings = { checks: [], contradictions: [], remainders: [], archive: undefined };
  const { summary, failures, stoppedBy } = await recordRun(
    { ...options, job: 'verify', counts: options.client.counts },
    (run) => makeChecks(options, run, findings),
  );
  return { runId: summary.run_id, status: summary.status, ...findings, failures, stoppedBy };
}

async function makeChecks(options: VerifyOptions, run: OpenRun, findings: Findings): Promise<void> {
  const { client, probes, servedDays, range, clock, persons } = options;
  await run.control.use(({ db }) => readForgotten(db, persons));
  const question = { client, probes, clock, onEvent: run.report };
  const { organizationId } = await learnOrganization(question, servedDays.to);
  const orgKey = await run.control.use(async ({ db }) => {
    await refuseAnotherOrganization(db, question, organizationId);
    const known = await listOrganizations(db);
    const key = known.find((organization) => organization.organizationId === organizationId)?.orgKey;
    if (key === undefined)
      throw new WarehouseError(
        `nothing is loaded of organization ${organizationId}, which the credential belongs to; run \`${inShell('backfill')}\` first`,
      );
    await assignRun(db, run.runId, key);
    return key;
  });
  const organization = { organizationId, orgKey };
  findings.checks.push(...(await compareWithPlatform(options, run, organization)));
  const queue = new PQueue({ concurrency: checksAtOnce });
  const made = (await readSqlChecks(options.sources)).map((sqlCheck) => async () => {
    options.abort.signal.throwIfAborted();
    const check = { runId: run.runId, orgKey, range, name: sqlCheck.name };
    return makeSqlCheck(options, run, check, sqlCheck);
  });
  findings.checks.push(...(await queue.addAll(made)));
  if (options.archive !== undefined) await compareFigures(options, options.archive, orgKey, run, findings);
  await run.control.use(async ({ db }) => {
    findings.contradictions = await readContradictions(db, run.runId, mostListed);
    findings.remainders = await readRemainders(db, run.runId);
  });
}

async function compareFigures(
  options: VerifyOptions,
  settings: ArchiveSettings & Pick<ArchiveContext, 'all'>,
  orgKey: number,
  { runId, control, report }: OpenRun,
  findings: Findings,
): Promise<void> {
  const { range, abort } = options;
  const ledger = await control.use(({ db }) => readLedger(db, orgKey));
  const { counts, compared, notCompared } = await compareWithArchive({
    ...options,
    settings,
    all: settings.all,
    orgKey,
    runId,
    ledger,
    onEvent: report,
    signal: abort.signal,
  });
  const name = archiveCheckName;
  await control.use(({ db }) => recordAgreement(db, { runId, orgKey, range, name }, counts));
  report({ type: 'check-done', check: name, ...counts, rowsRead: 0 });
  findings.checks.push({ name, ...counts });
  findings.archive = { slices_compared: compared, slices_not_compared: notCompared };
}

async function compareWithPlatform(
  options: VerifyOptions,
  { runId, control, report }: OpenRun,
  { organizationId, orgKey }: { readonly organizationId: string; readonly orgKey: number },
): Promise<CheckSummary[]> {
  const { client, pool, range, redact, abort } = options;
  const grouped = options.sources.filter(isGrouped);
  const daily = options.sources.filter(({ partitioning }) => partitioning.kind === 'day');
  const { ledger, windows } = await control.use(async ({ db }) => ({
    ledger: await readLedger(db, orgKey),
    windows: await readRequestWindows(db, orgKey),
  }));
  const readsOf = (sources: readonly Source[], status: 'loaded' | 'empty') => {
    const plan = { windowDays: options.windowDays, today: today(options.clock), status };
    return planComparison(sources, range, { ledger, asked: new Map() }, plan);
  };
  const emptyDays = readsOf(daily, 'empty');
  const names = [...grouped.map(groupedCheckName), ...(emptyDays.length > 0 ? [emptyDaysCheck] : [])];
  const found = new Map(names.map((name) => [name, { counts: noCounts, rowsRead: 0 }]));
  const context = {
    pool,
    pageSize: options.pageSize,
    client,
    organizationId,
    orgKey,
    runId,
    onEvent: report,
    redact,
    persons: options.persons,
    signal: abort.signal,
    onCompared(name: string, counts: CheckCounts, rowsRead: number) {
      const before = found.get(name);
      found.set(name, {
        counts: added(before?.counts ?? noCounts, counts),
        rowsRead: (before?.rowsRead ?? 0) + rowsRead,
      });
    },
    onWindowSplit({ name }: Source, windowDays: number) {
      windows.set(name, Math.min(windowDays, windows.get(name) ?? windowDays));
    },
  };
  const compareAll = (reads: readonly Read[], compare: typeof compareRead) =>
    workThrough(reads, {
      pageLanes: 1,
      windowDays: (source) => windows.get(source.name) ?? options.windowDays,
      process: async (read, requestOptions) => {
        try {
          return await compare(context, read, requestOptions);
        } catch (error) {
          // The other lanes must not go on with what cannot succeed.
          if (!abort.signal.aborted) abort.abort(error);
          throw error;
        }
      },
      signal: abort.signal,
    });
  await compareAll(readsOf(grouped, 'loaded'), compareRead);
  await compareAll(emptyDays, compareEmpty);
  const summaries: CheckSummary[] = [];
  for (const name of names) {
    const { counts, rowsRead } = found.get(name) ?? { counts: noCounts, rowsRead: 0 };
    await control.use(({ db }) => recordAgreement(db, { runId, orgKey, range, name }, counts));
    report({ type: 'check-done', check: name, ...counts, rowsRead });
    summaries.push({ name, ...counts });
  }
  return summaries;
}

async function makeSqlCheck(
  { pool, abort, redact }: VerifyOptions,
  { report }: OpenRun,
  check: Check,
  { name, comparisons }: SqlCheck,
): Promise<CheckSummary> {
  try {
    const counts = await withTransaction(pool, async (session) => {
      const found = await recordComparisons(session, check, comparisons);
      await recordAgreement(session.db, check, found);
      return found;
    });
    report({ type: 'check-done', check: name, ...counts, rowsRead: 0 });
    return { name, ...counts };
  } catch (error) {
    abort.signal.throwIfAborted();
    report({ type: 'check-failed', check: name, part: '', reason: redact(explain(error)) });
    return { name, ...noCounts };
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
