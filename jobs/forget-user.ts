import { ConfigurationError, explain, InterruptedError } from '../src/model/errors.ts';
import { countUsers, type ForgetReport, type ForgottenUser } from '../src/model/forgetting.ts';
import { isPseudonym } from '../src/model/forgotten-persons.ts';
import { sanitizeTexts } from '../src/model/sanitize.ts';
import { appVersion } from '../src/model/version.ts';
import { forgetUser, planForgettingDry } from '../src/pipeline/removal/forget-user.ts';
import { openConfiguredWarehouse, type Warehouse } from '../src/pipeline/runs/open-warehouse.ts';
import { describeForgetting, describeForgotten } from '../src/reporting/forget-text.ts';
import { counted } from '../src/reporting/number-text.ts';
import { createRunReporter } from '../src/reporting/run-reporter.ts';
import { asksYes, canAsk } from './ask.ts';
import { runJobFile } from './command-line.ts';
import { exitCode, exitCodeOf, type Job, type JobContext, type JobResult } from './job.ts';
import { tell } from './tell.ts';

/** Forgets whom a name means. */
export const job: Job = {
  name: 'forget-user',
  description:
    'pseudonymizes whom it names everywhere, keeps all totals, and stays in force for what comes later',
  example: 'forget-user ann@example.com --dry-run',
  needsPlatform: false,
  options: (command) =>
    command
      .argument('<user>', 'user id, or e-mail in any letter case: means everybody who has or had it')
      .option('--dry-run', 'list the users and change nothing')
      .option('--yes', 'forget without confirmation; required for more than one user without a terminal'),
  prepare({ options, arguments: [given = ''], problems }) {
    const isDry = options.dryRun === true;
    const isAgreed = options.yes === true;
    const name = given.trim();
    if (name === '') problems.push('forget-user: expected a user id or an e-mail, got nothing');
    if (isPseudonym(name))
      problems.push('forget-user: expected a user id or an e-mail, got what a forgotten person is called');
    return async (context) => {
      const warehouse = await openConfiguredWarehouse(context, isDry);
      try {
        if (!isDry) return await forget(name, isAgreed, context, warehouse);
        const users = await planForgettingDry(warehouse.pool, name, context.abort.signal);
        return {
          json: { dry_run: true, users: countUsers(users), persons: users.map(fieldsOf) },
          text: describeForgetting(sanitizeTexts(users, context.redact.namingPersons)).join('\n'),
          namesPersons: true,
        };
      } finally {
        await warehouse.close();
      }
    };
  },
};

async function forget(
  name: string,
  isAgreed: boolean,
  context: JobContext,
  { pool }: Warehouse,
): Promise<JobResult> {
  const { abort, clock, config, redact } = context;
  const reporter = await createRunReporter(context.log, { sent: 0, retried: 0 }, false, context.observers);
  try {
    const report = await forgetUser({
      name,
      confirm: (users) => confirm(users, isAgreed, context),
      appVersion,
      pool,
      clock,
      lockTimeoutMs: config.lockTimeoutMs,
      dataDirectory: config.dataDirectory,
      onEvent: reporter.onEvent,
      redact,
      abort,
    });
    return resultOf(report, redact);
  } finally {
    reporter.stop();
  }
}

/** Says whom the name means, and asks. Throws where nobody agrees. */
async function confirm(
  users: readonly ForgottenUser[],
  isAgreed: boolean,
  { abort, redact }: JobContext,
): Promise<void> {
  for (const line of describeForgetting(sanitizeTexts(users, redact.namingPersons))) tell(line, 'info');
  if (isAgreed) return;
  const number = countUsers(users);
  if (canAsk()) {
    const whom = number === 0 ? 'whoever comes with this name' : counted(number, 'user');
    const isMeant = await asksYes(`Forget ${whom} for good?`, abort.signal);
    if (!isMeant) throw new InterruptedError('not confirmed: nobody was forgotten');
    return;
  }
  if (number > 1)
    throw new ConfigurationError([
      `--yes: needed here, where the name means ${number} users and nobody at a terminal can be asked; --dry-run says whom`,
    ]);
}

function resultOf(report: ForgetReport, redact: JobContext['redact']): JobResult {
  const { runId, outcome, users, rows, chunks, organizationsLeft, stoppedBy } = report;
  const error = stoppedBy === undefined ? undefined : redact(explain(stoppedBy));
  if (error !== undefined) tell(error);
  return {
    json: {
      run_id: runId,
      status: error === undefined ? 'succeeded' : 'failed',
      outcome: error === undefined ? outcome : null,
      users: countUsers(users),
      persons: users.map(fieldsOf),
      rows,
      archive_chunks: chunks,
      organizations_left: organizationsLeft,
    },
    text: error === undefined ? describeForgotten(report) : '',
    namesPersons: true,
    exitCode: stoppedBy === undefined ? exitCode.done : exitCodeOf(stoppedBy),
    ...(error === undefined ? {} : { error }),
  };
}

function fieldsOf({ organizationId, userId, shared }: ForgottenUser) {
  return { organization: organizationId, user_id: userId, shared_emails: shared };
}

if (import.meta.main) void runJobFile(job);
