/** What `doctor` found, a line each. */
import type { Finding, FindingStatus } from '../model/finding.ts';

const marks: Readonly<Record<FindingStatus, string>> = { ok: '✓', warning: '!', failed: '✗', skipped: '–' };

/** Lines for people; what stands in them has been sanitized. */
export function describeFindings(findings: readonly Finding[]): string {
  return findings
    .map(({ name, status, detail, next }) =>
      [`${marks[status]} ${name}: ${detail}`, ...(next === null ? [] : [next])].join(' → '),
    )
    .join('\n');
}
