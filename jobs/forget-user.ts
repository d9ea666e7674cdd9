import { explain } from '../src/model/errors.ts';
import { isPseudonym } from '../src/model/forgotten-persons.ts';
import { appVersion } from '../src/model/version.ts';
import { type ForgetReport, forgetUser } from '../src/pipeline/forget/forget-user.ts';
import { openConfiguredWarehouse } from '../src/pipeline/open-warehouse.ts';
import { counted } from '../src/reporting/number-text.ts';
import { createRunReporter } from '../src/reporting/run-reporter.ts';
import { runJobFile } from './command-line.ts';
import { exitCode, exitCodeOf, type Job } from './job.ts';
import { tell } from './tell.ts';

/** Forgets one person. */
export const job: Job = {
  name: 'forget-user',
  description:
    'pseudonymizes one person everywhere, keeps all totals, and stays in force for what comes later',
  example: 'forget-user ann@example.com',
  needsPlatform: false,
  options: (command) =>
    command.argument('<user>', 'user id, or e-mail in any case of letters: everybody who has it'),
  prepare({ arguments: [given = ''], problems }) {
    const name = given.trim();
    if (name === '') problems.push('forget-user: expected a user id or an e-mail, got nothing');
    if (isPseudonym(name))
      problems.push('forget-user: expected a user id or an e-mail, got what a forgotten person is called');
    return async (context) => {
      const { abort, clock, config, redact } = context;
      const warehouse = await openConfiguredWarehouse(context);
      const reporter = await createRunReporter(
        context.log,
        { sent: 0, retried: 0 },
        false,
        context.observers,
      );
      try {
        const report = await forgetUser({
          name,
          appVersion,
          pool: warehouse.pool,
          clock,
          lockTimeoutMs: config.lockTimeoutMs,
          dataDirectory: config.dataDirectory,
          onEvent: reporter.onEvent,
          redact,
          abort,
        });
        const { stoppedBy } = report;
        const error = stoppedBy === undefined ? undefined : redact(explain(stoppedBy));
        if (error !== undefined) tell(error);
        return {
          json: {
            run_id: report.runId,
            status: error === undefined ? 'succeeded' : 'failed',
            outcome: error === undefined ? report.outcome : null,
            users: report.users,
            rows: report.rows,
            archive_chunks: report.chunks,
            organizations_left: report.organizationsLeft,
          },
          text: error === undefined ? inWords(report) : '',
          exitCode: stoppedBy === undefined ? exitCode.done : exitCodeOf(stoppedBy),
          ...(error === undefined ? {} : { error }),
        };
      } finally {
        reporter.stop();
        await warehouse.close();
      }
    };
  },
};

const sentences = {
  nothing_to_do: 'This person was forgotten before; there is nothing more to do.',
  nobody_known: 'Nobody of this name is known. Whatever comes later of them will be forgotten.',
} as const;

/** What was done, without the name. */
function inWords({ outcome, users, rows, chunks, organizationsLeft }: ForgetReport): string {
  const lines = [
    outcome === 'forgotten'
      ? `Forgotten: ${counted(users, 'user')}, in ${counted(rows, 'row')} and ${counted(chunks, 'part')} of the raw archive. Whatever comes later of them is, too.`
      : sentences[outcome],
  ];
  if (organizationsLeft > 0)
    lines.push(
      `Runs are at work on ${counted(organizationsLeft, 'other organization')}, in which nobody is known by this name; they look for it when they end.`,
    );
  return lines.join('\n');
}

if (import.meta.main) void runJobFile(job);
