import { explain } from '../src/model/errors.ts';
import type { RunReport } from '../src/model/run-report.ts';
import { sanitizeTexts } from '../src/model/sanitize.ts';
import { describeRun, runProblem } from '../src/reporting/run-text.ts';
import { exitCode, exitCodeOf, type JobContext, type JobResult } from './job.ts';
import { tell } from './tell.ts';

/** Reports the error that stopped a command on standard error, and returns its exit code; undefined means no error. */
export function endOf(
  problem: unknown,
  { redact }: Pick<JobContext, 'redact'>,
): Pick<JobResult, 'exitCode' | 'error'> {
  if (problem === undefined) return {};
  const error = redact(explain(problem));
  tell(error);
  return { exitCode: exitCodeOf(problem), error };
}

/** The output and exit code of a run that loads slices. Reports the error that stopped the run on standard error. */
export function runResult(report: RunReport, { redact }: JobContext): JobResult {
  const { summary, stoppedBy } = report;
  const shown = sanitizeTexts(report, redact);
  const error = runProblem(shown, redact(explain(stoppedBy)));
  if (stoppedBy !== undefined) tell(redact(explain(stoppedBy)));
  const code = stoppedBy === undefined ? exitCode.done : exitCodeOf(stoppedBy);
  return {
    json: summary,
    text: describeRun(shown),
    exitCode: code === exitCode.done && summary.slices.failed > 0 ? exitCode.incomplete : code,
    ...(error === undefined ? {} : { error }),
  };
}
