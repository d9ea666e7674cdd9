/** Describes the findings of `doctor`. */
import type { Finding, FindingStatus } from '../model/finding.ts';

const marks: Readonly<Record<FindingStatus, string>> = { ok: '✓', warning: '!', failed: '✗', skipped: '–' };

/** One line per finding, and one for skipped checks in a row with the same reason. The texts must be sanitized. */
export function describeFindings(findings: readonly Finding[]): string {
  const lines: Finding[] = [];
  for (const finding of findings) {
    const before = lines.at(-1);
    if (finding.status === 'skipped' && before?.status === 'skipped' && before.detail === finding.detail)
      lines[lines.length - 1] = { ...before, name: `${before.name}, ${finding.name}` };
    else lines.push(finding);
  }
  return lines
    .map(({ name, status, detail, next }) =>
      [`${marks[status]} ${name}: ${detail}`, ...(next === null ? [] : [next])].join(' → '),
    )
    .join('\n');
}
