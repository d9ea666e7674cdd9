/** Describes the findings of `doctor`. */
import type { Finding, FindingStatus } from '../model/finding.ts';

const marks: Readonly<Record<FindingStatus, string>> = { ok: '✓', warning: '!', failed: '✗', skipped: '–' };

/** One line per finding. The texts must be sanitized. */
export function describeFindings(findings: readonly Finding[]): string {
  return findings
    .map(({ name, status, detail, next }) =>
      [`${marks[status]} ${name}: ${detail}`, ...(next === null ? [] : [next])].join(' → '),
    )
    .join('\n');
}
