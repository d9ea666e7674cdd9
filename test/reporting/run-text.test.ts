import { describe, expect, it } from 'vitest';
import { InterruptedError } from '../../src/model/errors.ts';
import type { RunReport } from '../../src/model/run-report.ts';
import { createSanitizer, sanitizeTexts } from '../../src/model/sanitize.ts';
import { describeCoverage } from '../../src/reporting/coverage-text.ts';
import { describeRun } from '../../src/reporting/run-text.ts';

const quiet: RunReport = {
  summary: {
    run_id: 7,
    status: 'succeeded',
    slices: { planned: 20, loaded: 5, unchanged: 15, empty: 0, pending: 0, refused: 0, failed: 0 },
    rows: { read: 1234, inserted: 10, updated: 0, deleted: 2, rejected: 0 },
    requests: { sent: 12, retried: 1 },
    duration_ms: 1540,
  },
  failures: [],
  refused: [],
  drift: [],
  loaded: [{ endpoint: 'users', from: '2026-03-05', to: '2026-03-09' }],
  stoppedBy: undefined,
};

describe('a run in words', () => {
  it('says what was done, and leaves out what did not happen', () => {
    expect(describeRun(quiet).split('\n')).toEqual([
      'Run 7 succeeded in 1.5 s',
      '  slices    20 planned: 5 loaded, 15 unchanged',
      '  loaded    2026-03-05 to 2026-03-09: users',
      '  records   1,234 read; rows: 10 inserted, 2 deleted',
      '  requests  12 sent, 1 of them retries',
      'Next: `npm run -s etl -- status` shows what is loaded and what is missing; `npm run -s etl -- verify` compares it with the platform.',
    ]);
  });

  it('says what became of sources that may be missing, and nothing of those that are switched off', () => {
    const sources = { a: 'unavailable', b: 'loaded', c: 'off' } as const;
    const summary = { ...quiet.summary, sources };
    expect(describeRun({ ...quiet, summary })).toContain('\n  sources   a unavailable, b loaded\n');
    expect(describeRun({ ...quiet, summary: { ...summary, sources: { c: 'off' } } })).not.toContain(
      'sources',
    );
  });

  it('names what needs a look: pending and rejected, failed, refused, unexpected', () => {
    const text = describeRun({
      ...quiet,
      summary: {
        ...quiet.summary,
        slices: { ...quiet.summary.slices, pending: 2 },
        rows: { ...quiet.summary.rows, rejected: 3 },
      },
      failures: [{ endpoint: 'users', key: '2026-03-09', reason: 'the platform answered 500' }],
      refused: [{ endpoint: 'tools', key: '2026-03-08', reason: 'would delete 30 of 40 rows' }],
      drift: [{ endpoint: 'tokens', kind: 'unknown_field', path: 'team', occurrences: 4, example: '"x"' }],
    });
    for (const part of [
      '2 slices are pending: the platform has no rows for them yet',
      '3 rows were rejected and kept: select endpoint, usage_date, reason from etl.rejected_row where run_id = 7',
      'users 2026-03-09: the platform answered 500',
      'tools 2026-03-08: would delete 30 of 40 rows',
      'tokens unknown_field team × 4, such as "x"',
      '`npm run -s etl -- backfill --from 2026-03-08 --to 2026-03-08 --endpoints tools --force --allow-empty` accepts',
    ])
      expect(text).toContain(part);
  });

  it('tells the same failure once, with its number and range, however often it was tried', () => {
    const failures = Array.from({ length: 10 }, (_, index) => ({
      endpoint: 'users',
      key: `2026-03-1${9 - index}`,
      reason: `GET /users failed after ${index + 1} attempts: no answer`,
    }));
    const other = { endpoint: 'tools', key: '2026-03-10', reason: 'no answer' };
    const text = describeRun({ ...quiet, failures: [...failures, other] });
    expect(text.split('\n').filter((line) => line.includes('no answer'))).toEqual([
      '  users: 10 slices, 2026-03-10 to 2026-03-19: GET /users failed after 1 attempts: no answer',
      '  tools 2026-03-10: no answer',
    ]);
  });

  it('lists ten reasons of many and counts the rest', () => {
    const failures = Array.from({ length: 25 }, (_, index) => ({
      endpoint: 'users',
      key: `day ${index}`,
      reason: `reason ${index}`,
    }));
    const text = describeRun({ ...quiet, failures });
    expect(text).toContain('reason 9');
    expect(text).not.toContain('reason 10');
    expect(text).toContain('and 15 more');
  });

  it('counts one as one', () => {
    const { slices, rows } = quiet.summary;
    const text = describeRun({
      ...quiet,
      summary: { ...quiet.summary, slices: { ...slices, pending: 1 }, rows: { ...rows, rejected: 1 } },
    });
    expect(text).toContain('1 slice is pending: the platform has no rows for it yet');
    expect(text).toContain('1 row was rejected');
    expect(text).not.toMatch(/\b1 (slices|rows)\b/);
  });

  it('says after an interruption that nothing is lost, and after a failure that it is asked for again', () => {
    const summary = { ...quiet.summary, status: 'partial' as const };
    const interrupted = describeRun({ ...quiet, summary, stoppedBy: new InterruptedError('by SIGINT') });
    expect(interrupted).toContain('Interrupted: loaded slices stay, and the same command continues.');
    expect(describeRun({ ...quiet, summary })).toContain(
      'reads them again. `npm run -s etl -- status` shows',
    );
  });

  it('does not let a payload break lines or steer the terminal', () => {
    const example = 'a\u001b[2Jb\nRun 8 succeeded\u009b1m';
    const drift = [{ endpoint: 'tools', kind: 'duplicate_key' as const, path: 'x', occurrences: 1, example }];
    const text = describeRun(sanitizeTexts({ ...quiet, drift }, createSanitizer([])));
    expect(text.split('\n').at(-2)).toBe(
      '  tools duplicate_key x × 1, such as a\\u001b[2Jb\\u000aRun 8 succeeded\\u009b1m',
    );
  });
});

describe('coverage in words', () => {
  const endpoint = {
    endpoint: 'users',
    first_day: '2026-02-01',
    last_day: '2026-02-09',
    days_loaded: 9,
    days_empty: 0,
    days_pending: 0,
    days_refused: 0,
    gaps_can_be_filled: true,
    gaps: [] as string[],
    gaps_count: 0,
    failed: [] as string[],
    failed_count: 0,
    pending_count: 0,
    refused: [] as string[],
  };

  const noRuns = { last_load: null, last_other: null };

  const covered = {
    organizations: [
      { organization: 'org_a', complete: true, endpoints: [endpoint], other_sources: [], ...noRuns },
    ],
  };

  it('is a table per organization', () => {
    const text = describeCoverage({ ...covered, ...noRuns });
    expect(text).toMatch(/^org_a: complete\nendpoint +first day/);
    expect(text).toContain('2026-02-09');
  });

  it('names the first missing and failed days and counts the rest', () => {
    const gaps = Array.from({ length: 7 }, (_, index) => `2026-02-1${index}`);
    const endpoints = [{ ...endpoint, gaps, gaps_count: 7, failed: ['2026-02-20'], failed_count: 1 }];
    const text = describeCoverage({
      organizations: [{ organization: 'org_a', complete: false, endpoints, other_sources: [], ...noRuns }],
      ...noRuns,
    });
    expect(text).toContain(
      'users lacks 2026-02-10, 2026-02-11, 2026-02-12, 2026-02-13, 2026-02-14 and 2 more',
    );
    expect(text).toContain('users failed for 2026-02-20');
  });

  it('names refused days and the command that lets them through, and no night, which cannot help', () => {
    const last = { organization: 'org_a', complete: false, other_sources: [], ...noRuns };
    const endpoints = [{ ...endpoint, refused: ['2026-02-03', '2026-02-05'] }];
    const text = describeCoverage({ organizations: [{ ...last, endpoints }], ...noRuns });
    expect(text).toContain('users was refused for 2026-02-03, 2026-02-05');
    expect(text).toContain(
      '`npm run -s etl -- backfill --from 2026-02-03 --to 2026-02-03 --endpoints users --force --allow-empty`, and so on',
    );
    expect(text).not.toContain('nightly');
    const alsoMissing = [{ ...endpoint, gaps: ['2026-02-04'] }, ...endpoints];
    expect(describeCoverage({ organizations: [{ ...last, endpoints: alsoMissing }], ...noRuns })).toContain(
      '`npm run -s etl -- nightly` loads the missing days',
    );
  });

  it('is a line for each of many organizations, those that lack most first, in a hundred lines', () => {
    const organizations = Array.from({ length: 300 }, (_, index) => ({
      organization: `org_${index}`,
      complete: index % 100 !== 0,
      endpoints: [{ ...endpoint, gaps_count: index % 100 === 0 ? 1 + index : 0 }],
      other_sources: [],
      last_load: null,
      last_other: null,
    }));
    const lines = describeCoverage({ organizations, last_load: null, last_other: null }).split('\n');
    expect(lines).toHaveLength(99);
    expect(lines[0]).toBe('300 organizations: 297 complete, 3 incomplete');
    expect(lines.slice(2, 5).map((line) => line.split(/ +/))).toEqual([
      ['org_200', 'incomplete', '2026-02-09', '201', '0', '0', '0'],
      ['org_100', 'incomplete', '2026-02-09', '101', '0', '0', '0'],
      ['org_0', 'incomplete', '2026-02-09', '1', '0', '0', '0'],
    ]);
    expect(lines.slice(-2)).toEqual([
      'and 205 more, 0 of them incomplete; `--json` has all',
      'Next: `npm run -s etl -- nightly` loads the missing days.',
    ]);
  });

  it('says how to begin when nothing is loaded', () => {
    const text = describeCoverage({ organizations: [], ...noRuns });
    expect(text).toBe('Nothing is loaded yet. Start with `npm run -s etl -- backfill`.');
  });

  it('tells the last load and the last other run of each organization, and first a newer one that never learned whose it was', () => {
    const run = {
      run_id: 8,
      job: 'nightly',
      status: 'failed',
      started_at: '2026-02-10T02:15:00Z',
      error: 'the platform refused the credential',
      died: false,
      failing_since: null,
    };
    const own = {
      last_load: { ...run, run_id: 6 },
      last_other: { ...run, run_id: 7, job: 'verify', status: 'succeeded', error: null },
    };
    const organizations = covered.organizations.map((organization) => ({ ...organization, ...own }));
    expect(describeCoverage({ organizations, ...own })).toContain(
      'Last load: 6, nightly, 2026-02-10 02:15 UTC: failed: the platform refused the credential\n' +
        'Last other run: 7, verify, 2026-02-10 02:15 UTC: succeeded',
    );
    const newer = { ...own, last_load: { ...run, failing_since: '2026-02-08T02:15:00Z' } };
    const line =
      'Last load: 8, nightly, 2026-02-10 02:15 UTC: failed: the platform refused the credential; ' +
      'it ended before it knew its organization, as all since 2026-02-08 02:15 UTC';
    // The newest load of all is the last load of the only organization.
    const ofOne = describeCoverage({ organizations: organizations.slice(0, 1), ...newer }).split('\n');
    expect(ofOne.filter((each) => each.startsWith('Last load'))).toEqual([line]);
    const twice = [...organizations, ...organizations].slice(0, 2);
    const ofTwo = describeCoverage({ organizations: twice, ...newer }).split('\n');
    expect(ofTwo[0]).toBe(line);
  });
});
