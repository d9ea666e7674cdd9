import { earliestDay, yesterday } from '../src/model/day.ts';
import { sanitizeTexts } from '../src/model/sanitize.ts';
import { runDemo } from '../src/pipeline/demo/demo.ts';
import { nextAfterDemo } from '../src/reporting/demo-text.ts';
import { describeRun } from '../src/reporting/run-text.ts';
import { runJobFile } from './command-line.ts';
import { dayRangeOptions, exitCode, isInterrupted, type Job, wholeOption } from './job.ts';
import { untilAborted } from './until-aborted.ts';

/** Runs the whole program without configuration: simulator, embedded Postgres, backfill, and a summary. */
export const job: Job = {
  name: 'demo',
  description: 'loads a simulated platform into an embedded Postgres, and shows the result',
  example: 'demo --users 50 --exit',
  needsPlatform: false,
  staysUp: true,
  options: (command) =>
    command
      .option('--exit', 'end after showing the result, instead of staying up')
      .option('--to <day>', 'last day (default yesterday in UTC)')
      .option('--users <count>', 'users of the simulated organization (default 200)'),
  prepare({ options, clock, problems }) {
    const users = wholeOption(options.users, '--users', 200, [1, 100_000], problems);
    const range = dayRangeOptions(options, { from: earliestDay, to: yesterday(clock) }, clock, problems);
    return async (context) => {
      const demo = await runDemo(context, { users, range });
      try {
        const { report, page, url, questions } = demo;
        if (isInterrupted(report.stoppedBy)) throw report.stoppedBy;
        const failed = report.summary.status !== 'succeeded';
        const told = {
          json: { ...report.summary, report: page, url },
          text: [
            describeRun(sanitizeTexts(report, context.redact), { goesOn: false }),
            demo.figures,
            ...(page === undefined ? [] : [`The same in pictures, for a browser:\n  ${page}`]),
            nextAfterDemo({ url: options.exit === true ? undefined : url, questions }),
          ].join('\n\n'),
          // Do not redact the password in the URL: the user needs it to connect.
          verbatim: true,
        };
        if (failed)
          return {
            ...told,
            exitCode: exitCode.incomplete,
            error: `the demo's backfill ${report.summary.status}`,
          };
        if (options.exit === true) return told;
        await context.announce(told);
        await untilAborted(context.abort.signal);
        return told;
      } finally {
        await demo.close();
      }
    };
  },
};

if (import.meta.main) void runJobFile(job);
