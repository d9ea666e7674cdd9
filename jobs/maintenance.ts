import type { DeletedRows } from '../src/model/run.ts';
import { maintain } from '../src/pipeline/maintenance/maintain.ts';
import { counted } from '../src/reporting/number-text.ts';
import { runJobFile } from './command-line.ts';
import { type Job, wholeOption } from './job.ts';
import { endOf } from './run-result.ts';

/** The largest value of `--archive-months`: a hundred years. */
const mostMonths = 1_200;

/** Deletes expired rows. */
export const job: Job = {
  name: 'maintenance',
  organizations: 'any',
  description:
    'deletes what is older than RUN_RETENTION_DAYS, REJECTED_RETENTION_DAYS and RAW_RETENTION_DAYS; nightly does the same',
  example: 'maintenance --archive-months 6',
  needsPlatform: false,
  options: (command) =>
    command.option(
      '--archive-months <number>',
      'months of the raw archive to keep, instead of RAW_RETENTION_DAYS; 0 keeps none',
    ),
  prepare({ options, problems }) {
    const given = options.archiveMonths;
    const months =
      given === undefined ? undefined : wholeOption(given, '--archive-months', 0, [0, mostMonths], problems);
    return async (context) => {
      const { deleted, organizationsLeft, stoppedBy } = await maintain(months, context);
      const text = stoppedBy === undefined ? inWords(deleted, organizationsLeft) : '';
      return { json: { deleted, organizations_left: organizationsLeft }, text, ...endOf(stoppedBy, context) };
    };
  },
};

function inWords(deleted: DeletedRows, organizationsLeft: number): string {
  const { runs, rejected_rows, drift, check_results, raw_slices } = deleted;
  const left =
    organizationsLeft === 0
      ? ''
      : ` ${counted(organizationsLeft, 'organization')} that others work on: left for the next time.`;
  return `Deleted: ${[
    counted(runs, 'run'),
    counted(rejected_rows, 'rejected row'),
    counted(drift, 'kind of drift', 'kinds of drift'),
    counted(check_results, 'result of a check', 'results of checks'),
    counted(raw_slices, 'part of the raw archive', 'parts of the raw archive'),
  ].join(', ')}.${left}`;
}

if (import.meta.main) void runJobFile(job);
