import { earliestDay, yesterday } from '../src/model/day.ts';
import { runDemo } from '../src/pipeline/demo.ts';
import { describeRun } from '../src/reporting/run-text.ts';
import { exitCode, type Job, refuseProblems, runJobFile, wholeOption } from './job.ts';
import { untilAborted } from './until-aborted.ts';

/** The whole program without any configuration: simulator, embedded Postgres, backfill, a look at the result. */
export const job: Job = {
  name: 'demo',
  description: 'embedded Postgres, simulator, migrations, a backfill, and a look at the result',
  needsPlatform: false,
  options: (command) =>
    command
      .option('--exit', 'end when the result is shown, instead of staying up')
      .option('--users <count>', 'users of the simulated organization (default 200)'),
  async run(context, options) {
    const problems: string[] = [];
    const users = wholeOption(options.users, '--users', 200, [1, 100_000], problems);
    refuseProblems(problems);
    const range = { from: earliestDay, to: yesterday(context.clock) };
    const demo = await runDemo(context, { users, range });
    try {
      const failed = demo.report.summary.status !== 'succeeded';
      const text = [describeRun(demo.report), demo.look].join('\n\n');
      if (options.exit !== true && !failed) {
        process.stdout.write(
          `${text}\n\nConnect with psql or a BI tool, Ctrl-C ends the demo:\n  ${demo.url}\n`,
        );
        await untilAborted(context.abort.signal);
        return { json: demo.report.summary, text: '' };
      }
      return { json: demo.report.summary, text, exitCode: failed ? exitCode.incomplete : exitCode.done };
    } finally {
      await demo.close();
    }
  },
};

if (import.meta.main) await runJobFile(job);
