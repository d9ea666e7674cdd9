import { basename } from 'node:path';
import { ConfigurationError, explain } from '../../src/model/errors.ts';
import { figuresOf, isAmiss, type LimitsPlan, type PlannedChange } from '../../src/model/limit-changes.ts';
import { readLimitsFile } from '../../src/model/limits-file.ts';
import { sanitizeTexts } from '../../src/model/sanitize.ts';
import { applyLimits, type LimitsReport, planLimitsDry } from '../../src/pipeline/limits/apply-limits.ts';
import { withWarehouse } from '../../src/pipeline/runs/with-warehouse.ts';
import { describeLimitsPlan, describeLimitsRun } from '../../src/reporting/limits-text.ts';
import { counted } from '../../src/reporting/number-text.ts';
import { asksYes, canAsk } from '../ask.ts';
import { exitCode, exitCodeOf, type Job, type JobContext, type JobResult } from '../job.ts';
import { readTableFile } from '../table-file.ts';
import { tell } from '../tell.ts';

/** Sets the credit limits of a file. */
export const job: Job = {
  name: 'apply',
  organizations: 'one',
  description: 'sets the credit limits in a CSV file: columns email and limit, a whole number or none',
  example: 'limits apply limits.csv --dry-run',
  // With --dry-run the job only plans, which needs the warehouse alone.
  needsPlatform: ({ options }) => options.dryRun !== true,
  options: (command) =>
    command
      .argument('<file>', 'CSV file with the columns email and limit')
      .option('--dry-run', 'show what would change and send nothing')
      .option('--yes', 'send without confirmation; required without a terminal'),
  prepare({ options, arguments: [file = ''], problems }) {
    const isDry = options.dryRun === true;
    const isAgreed = options.yes === true;
    const wanted = readTableFile(file, readLimitsFile, problems) ?? [];
    if (!isDry && !isAgreed && !canAsk())
      problems.push(
        '--yes: needed here, because there is no terminal to ask at; --dry-run shows the changes',
      );
    return async (context) => {
      if (context.config.withholdsEmails)
        throw new ConfigurationError([
          'USER_EMAIL: with none no e-mail is stored, but limits apply records its changes by e-mail; set keep to set limits',
        ]);
      if (isDry) {
        const { organizationId, plan } = await withWarehouse(context, 'reads', ({ warehouse, config }) =>
          planLimitsDry(warehouse, config, wanted),
        );
        return planResult(plan, organizationId, context);
      }
      const confirm = async (plan: LimitsPlan, organizationId: string, signal: AbortSignal) => {
        if (isAgreed) return true;
        for (const line of planResult(plan, organizationId, context).text.split('\n'))
          process.stderr.write(`${line}\n`);
        return await asksYes(`Send ${counted(plan.changes.length, 'change')}?`, signal);
      };
      const report = await applyLimits({ wanted, file: basename(file), confirm }, context);
      return reportResult(report, isAgreed, context);
    };
  },
};

function planResult(plan: LimitsPlan, organization: string | null, { redact }: JobContext): JobResult {
  const json = { organization, plan: figuresOf(plan), changes: plan.changes.map(plannedFields) };
  const [shown, name] = sanitizeTexts([plan, organization] as const, redact.namingPersons);
  return { json, text: describeLimitsPlan(shown, name), namesPersons: true };
}

function reportResult(report: LimitsReport, tellsPlan: boolean, context: JobContext): JobResult {
  const { run, organizationId, plan, changes, others, unreadable } = report;
  const { redact } = context;
  const { run_id, status, requests, duration_ms } = run.summary;
  const error = problemOf(report, redact(explain(run.stoppedBy)));
  if (run.stoppedBy !== undefined) tell(redact(explain(run.stoppedBy)));
  const shown = sanitizeTexts(report, redact.namingPersons);
  const text = describeLimitsRun(run.summary, plan, shown.changes, shown.others);
  const code = error === undefined ? exitCode.done : exitCode.incomplete;
  return {
    json: {
      run_id,
      status,
      organization: organizationId,
      plan: figuresOf(plan),
      outcomes: outcomesOf(report),
      changes: changes.map((change) => ({ ...plannedFields(change), ...outcomeFields(change) })),
      not_asked_for: others,
      unreadable_entries: unreadable,
      requests,
      duration_ms,
    },
    // The plan is left out if a question has shown it already.
    text: tellsPlan ? `${planResult(plan, organizationId, context).text}\n${text}` : text,
    namesPersons: true,
    exitCode: run.stoppedBy === undefined ? code : exitCodeOf(run.stoppedBy),
    ...(error === undefined ? {} : { error }),
  };
}

function plannedFields({ email, before, limit, changeId }: PlannedChange) {
  return {
    email,
    old_limit: before ?? null,
    old_limit_known: before !== undefined,
    new_limit: limit,
    sent_again: changeId !== undefined,
  };
}

function outcomeFields({ became }: LimitsReport['changes'][number]) {
  return {
    outcome: became.outcome,
    confirmed_limit: became.outcome === 'updated' ? became.confirmed : null,
    error: 'error' in became ? became.error : null,
  };
}

function outcomesOf({ changes }: LimitsReport) {
  const count = (outcome: string) => changes.filter(({ became }) => became.outcome === outcome).length;
  return {
    updated: count('updated'),
    error: count('error'),
    unknown: count('unknown'),
    not_sent: count('not_sent'),
    other_limit: changes.filter((change) => change.became.outcome === 'updated' && isAmiss(change)).length,
  };
}

/** Why the exit code of the command is not 0; undefined if it is 0. */
function problemOf(
  { run, changes, others, unreadable }: LimitsReport,
  explained: string,
): string | undefined {
  if (run.stoppedBy !== undefined) return explained;
  const amiss = changes.filter(isAmiss).length;
  if (amiss > 0) return `${counted(amiss, 'credit limit')} of ${changes.length} could not be set as asked`;
  const strange = others.length + unreadable;
  if (strange > 0)
    return `answers of the platform named ${counted(strange, 'user')} that the requests did not name`;
  return undefined;
}
