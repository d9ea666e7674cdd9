import { earliestDay, yesterday } from '../src/model/day.ts';
import { sanitizeTexts } from '../src/model/sanitize.ts';
import { incompleteness, readStatus, staleness } from '../src/pipeline/status/read-status.ts';
import { describeCoverage } from '../src/reporting/coverage-text.ts';
import { runJobFile } from './command-line.ts';
import { dayRangeOptions, exitCode, type Job, type JobContext, type JobResult } from './job.ts';
import { endOf } from './run-result.ts';

/** Lists the days that the warehouse holds, and its gaps, by endpoint. */
export const job: Job = {
  name: 'status',
  organizations: 'any',
  description: 'coverage and freshness per endpoint: first day, last day, gaps, failures, refusals',
  example: 'status --check',
  needsPlatform: false,
  options: (command) =>
    command
      .option('--check', 'exit 1 when a slice is missing, failed or refused, or yesterday is pending')
      .option('--max-age <hours>', 'exit 1 when the last whole day of an endpoint ended longer ago')
      .option('--from <day>', 'first day (default the earliest requested day)')
      .option('--to <day>', 'last day (default yesterday in UTC)')
      .option('--prometheus', 'prints gauges for the textfile collector of Prometheus, and nothing else'),
  prepare({ options, clock, problems }) {
    if (options.prometheus === true) {
      for (const name of ['check', 'maxAge', 'from', 'to', 'organization'])
        if (options[name] !== undefined)
          problems.push(`--prometheus: cannot be used with --${name === 'maxAge' ? 'max-age' : name}`);
      return printGauges;
    }
    const { from, to } = dayRangeOptions(
      options,
      { from: earliestDay, to: yesterday(clock) },
      clock,
      problems,
    );
    const maxAge = hoursOption(options.maxAge, problems);
    return async (context) => {
      const range = { from: options.from === undefined ? undefined : from, to };
      const status = await readStatus(range, context);
      const text = describeCoverage(sanitizeTexts(status, context.redact));
      const wrong = [
        ...(options.check === true ? [incompleteness(status)] : []),
        ...(maxAge === undefined ? [] : staleness(status, maxAge, clock())),
      ].filter((sentence) => sentence !== undefined);
      if (wrong.length === 0) return { json: status, text };
      return { json: status, text, exitCode: exitCode.incomplete, error: wrong.join('; ') };
    };
  },
};

/** Prints the gauges. It also works without the database: a gauge shows whether the database is up. */
async function printGauges(context: JobContext): Promise<JobResult> {
  const { standingNow } = await import('../src/pipeline/monitor/standing-now.ts');
  const { metrics, text, problem } = await standingNow(context);
  return { json: { metrics }, text, ...endOf(problem, context) };
}

/** Reads `--max-age`; adds a sentence to `problems` if it is not a number of hours. */
function hoursOption(value: unknown, problems: string[]): number | undefined {
  if (value === undefined) return undefined;
  const hours = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
  if (hours === undefined)
    problems.push(`--max-age: expected a number of hours, got ${JSON.stringify(value)}`);
  return hours;
}

if (import.meta.main) void runJobFile(job);
