import { ConfigurationError, InterruptedError } from '../src/model/errors.ts';
import { countUsers, type ForgetReport, type ForgottenUser } from '../src/model/forgetting.ts';
import { isPseudonym } from '../src/model/forgotten-names.ts';
import { sanitizeTexts } from '../src/model/sanitize.ts';
import { forgetUser, planForgettingDry } from '../src/pipeline/removal/forget-user.ts';
import { withWarehouse } from '../src/pipeline/runs/with-warehouse.ts';
import { describeForgetting, describeForgotten } from '../src/reporting/forget-text.ts';
import { counted } from '../src/reporting/number-text.ts';
import { asksYes, canAsk } from './ask.ts';
import { runJobFile } from './command-line.ts';
import type { Job, JobContext, JobResult } from './job.ts';
import { endOf } from './run-result.ts';
import { tell } from './tell.ts';

/** Forgets the users with a name. */
export const job: Job = {
  name: 'forget-user',
  description: 'takes a person out of everything that is stored or comes later, and keeps all totals',
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
      problems.push('forget-user: expected a user id or an e-mail, got the pseudonym of a forgotten person');
    return async (context) => {
      if (!isDry) {
        const ask = (users: readonly ForgottenUser[], signal: AbortSignal) =>
          confirm(users, isAgreed, context, signal);
        return resultOf(await forgetUser({ name, confirm: ask }, context), context);
      }
      const users = await withWarehouse(context, 'reads', ({ warehouse, abort }) =>
        planForgettingDry(warehouse.pool, name, abort.signal),
      );
      return {
        json: { dry_run: true, users: countUsers(users), persons: users.map(fieldsOf) },
        text: describeForgetting(sanitizeTexts(users, context.redact.namingPersons)).join('\n'),
        namesPersons: true,
      };
    };
  },
};

/** Lists the users with the name, and asks. Throws if the answer is no. */
async function confirm(
  users: readonly ForgottenUser[],
  isAgreed: boolean,
  { redact }: JobContext,
  signal: AbortSignal,
): Promise<void> {
  for (const line of describeForgetting(sanitizeTexts(users, redact.namingPersons))) tell(line, 'info');
  if (isAgreed) return;
  const number = countUsers(users);
  if (canAsk()) {
    const whom = number === 0 ? 'whoever comes with this name' : counted(number, 'user');
    const isMeant = await asksYes(`Forget ${whom} for good?`, signal);
    if (!isMeant) throw new InterruptedError('not confirmed: nobody was forgotten');
    return;
  }
  if (number > 1)
    throw new ConfigurationError([
      `--yes: needed here, because the name means ${number} users and there is no terminal to ask at; --dry-run lists them`,
    ]);
}

function resultOf(report: ForgetReport, context: JobContext): JobResult {
  const { runId, outcome, users, rows, chunks, organizationsLeft, stoppedBy } = report;
  const isDone = stoppedBy === undefined;
  return {
    json: {
      run_id: runId,
      status: isDone ? 'succeeded' : 'failed',
      outcome: isDone ? outcome : null,
      users: countUsers(users),
      persons: users.map(fieldsOf),
      rows,
      archive_chunks: chunks,
      organizations_left: organizationsLeft,
    },
    text: isDone ? describeForgotten(report) : '',
    namesPersons: true,
    ...endOf(stoppedBy, context),
  };
}

function fieldsOf({ organizationId, userId, shared }: ForgottenUser) {
  return { organization: organizationId, user_id: userId, shared_emails: shared };
}

if (import.meta.main) void runJobFile(job);
