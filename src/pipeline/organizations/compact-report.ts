/** The report of a run without its lists. A process keeps one for each organization until all have ended. */
import { explain } from '../../model/errors.ts';
import type { RunReport, RunSummary } from '../../model/run-report.ts';
import { type Sanitizer, sanitizeTexts } from '../../model/sanitize.ts';
import { runProblem } from '../../reporting/run-text.ts';

/** A run of one organization that has ended. All texts are sanitized. */
export interface CompactReport {
  readonly summary: RunSummary;
  readonly stoppedBy: unknown;
  /** Why the run failed, in one sentence; undefined when it succeeded. */
  readonly error: string | undefined;
}

/** Makes it of a report; `redact` hides the key of the organization. */
export function compactReport(report: RunReport, redact: Sanitizer): CompactReport {
  const { summary, failures, stoppedBy } = report;
  const shown = sanitizeTexts({ ...report, summary, failures, refused: [], drift: [], loaded: [] }, redact);
  return { summary: shown.summary, stoppedBy, error: runProblem(shown, redact(explain(stoppedBy))) };
}
