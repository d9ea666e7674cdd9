/** Describes credit limits. The texts must be sanitized. */
import {
  figuresOf,
  isAmiss,
  type Limit,
  type LimitsPlan,
  type PastChange,
  type ReportedChange,
  reasonOf,
} from '../model/limit-changes.ts';
import type { RunSummary } from '../model/run-report.ts';
import { counted, numberText } from './number-text.ts';
import { textTable } from './text-table.ts';

/** Most changes that are listed; `--json` has all. */
const mostListed = 200;

/** The planned changes: old and new limits, and their sums. */
export function describeLimitsPlan(plan: LimitsPlan, organization: string | null): string {
  const figures = figuresOf(plan);
  const lines = [
    `Credit limits of ${organization ?? 'an organization that is new to the warehouse'}: ${counted(figures.users, 'change')}, ${numberText(figures.already_set)} set already`,
  ];
  if (figures.users === 0) return `${lines.join('')}; nothing to send.`;
  const kinds = (['raised', 'lowered', 'removed', 'first', 'sent_again'] as const)
    .filter((kind) => figures[kind] > 0)
    .map((kind) => `${numberText(figures[kind])} ${kindNames[kind]}`);
  lines.push(...tableOf(plan.changes), `  users    ${kinds.join(', ')}`);
  const sign = figures.sum_of_change > 0 ? '+' : '';
  lines.push(
    `  credits  sum of the change ${sign}${numberText(figures.sum_of_change)} where the old limit is known; limits where none was known ${numberText(figures.sum_of_first)}`,
  );
  return lines.join('\n');
}

const kindNames = {
  raised: 'raised',
  lowered: 'lowered',
  removed: 'removed',
  first: 'set where none was known',
  sent_again: 'sent again, because no answer is known',
};

function tableOf(changes: LimitsPlan['changes']): string[] {
  const rows = changes
    .slice(0, mostListed)
    .map(({ email, before, limit, changeId }) => [
      email,
      `${limitText(before)} → ${limitText(limit)}`,
      changeId === undefined ? '' : 'again',
    ]);
  return [textTable(['e-mail', 'old → new', ''], rows), ...more(changes.length)];
}

/** The result of `limits apply`, with the users whose limit was not set and the reasons. */
export function describeLimitsRun(
  summary: RunSummary,
  { alreadySet }: LimitsPlan,
  changes: readonly ReportedChange[],
  others: readonly string[],
): string {
  const amiss = changes.filter(isAmiss);
  const lines = [
    `Run ${summary.run_id} ${summary.status} in ${(summary.duration_ms / 1000).toFixed(1)} s`,
    `  limits    ${numberText(changes.length - amiss.length)} set as asked, ${numberText(amiss.length)} not, ${numberText(alreadySet)} set already`,
    `  requests  ${summary.requests.sent} sent, ${summary.requests.retried} of them retries`,
  ];
  const told = amiss.filter(({ became }) => became.outcome !== 'not_sent');
  if (told.length > 0)
    lines.push(
      'Not set as asked:',
      ...told.map((change) => `  ${change.email}: ${change.became.outcome}: ${reasonOf(change)}`),
    );
  if (told.length < amiss.length)
    lines.push(`${counted(amiss.length - told.length, 'limit')} not sent: the run ended before them.`);
  if (changes.some(({ became }) => became.outcome === 'unknown'))
    lines.push('The next `limits apply` sends limits with an unknown outcome again, whatever its file says.');
  if (others.length > 0)
    lines.push('In the answer of the platform, but not requested:', ...others.map((other) => `  ${other}`));
  return lines.join('\n');
}

/** Attempts, newest first. */
export function describeLimitHistory(changes: readonly PastChange[]): string {
  if (changes.length === 0) return 'No credit limit was changed through this program.';
  const organizations = new Set(changes.map(({ organization }) => organization));
  const rows = changes
    .slice(0, mostListed)
    .map(
      ({ requested_at, organization, email, requested_limit, outcome, confirmed_limit, error, run_id }) => [
        requested_at,
        ...(organizations.size > 1 ? [organization] : []),
        email,
        limitText(requested_limit),
        outcome === 'updated' && confirmed_limit !== requested_limit
          ? `updated to ${limitText(confirmed_limit)}`
          : outcome,
        `${run_id}`,
        error ?? '',
      ],
    );
  const headings = [
    'asked',
    ...(organizations.size > 1 ? ['organization'] : []),
    'e-mail',
    'limit',
    'outcome',
    'run',
    'why',
  ];
  return [textTable(headings, rows), ...more(changes.length)].join('\n');
}

function more(count: number): string[] {
  return count > mostListed ? [`and ${numberText(count - mostListed)} more; --json lists all`] : [];
}

function limitText(limit: Limit | undefined): string {
  if (limit === undefined) return 'not known';
  return limit === null ? 'none' : numberText(limit);
}
