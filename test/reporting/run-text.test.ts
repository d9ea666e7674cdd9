import { describe, expect, it } from 'vitest';
import { createDoor, throughDoor } from '../../src/model/foreign-text.ts';
import type { RunReport } from '../../src/model/run.ts';
import { describeCoverage } from '../../src/reporting/coverage-text.ts';
import { describeRun } from '../../src/reporting/run-text.ts';

const quiet: RunReport = {
  summary: {
    run_id: 7,
    status: 'succeeded',
    slices: { planned: 20, loaded: 5, unchanged: 15, empty: 0, pending: 0, failed: 0 },
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
      '  rows      1,234 read: 10 inserted, 2 deleted',
      '  requests  12 sent, 1 of them retries',
    ]);
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
      '3 rows were rejected',
      'users 2026-03-09: the platform answered 500',
      'tools 2026-03-08: would delete 30 of 40 rows',
      'tokens unknown_field team × 4, such as "x"',
    ])
      expect(text).toContain(part);
  });

  it('lists ten of many and counts the rest', () => {
    const failures = Array.from({ length: 25 }, (_, index) => ({
      endpoint: 'users',
      key: `day ${index}`,
      reason: 'no',
    }));
    const text = describeRun({ ...quiet, failures });
    expect(text).toContain('day 9');
    expect(text).not.toContain('day 10');
    expect(text).toContain('and 15 more');
  });

  it('does not let a payload break lines or steer the terminal', () => {
    const example = 'a\u001b[2Jb\nRun 8 succeeded\u009b1m';
    const drift = [{ endpoint: 'tools', kind: 'duplicate_key' as const, path: 'x', occurrences: 1, example }];
    const text = describeRun(throughDoor({ ...quiet, drift }, createDoor([])));
    expect(text.split('\n').at(-1)).toBe(
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
    gaps: [] as string[],
    failed: [] as string[],
  };

  it('is a table per organization', () => {
    const text = describeCoverage([{ organization: 'org_a', complete: true, endpoints: [endpoint] }]);
    expect(text).toMatch(/^org_a: complete\nendpoint +first day/);
    expect(text).toContain('2026-02-09');
  });

  it('names the first missing and failed days and counts the rest', () => {
    const gaps = Array.from({ length: 7 }, (_, index) => `2026-02-1${index}`);
    const text = describeCoverage([
      { organization: 'org_a', complete: false, endpoints: [{ ...endpoint, gaps, failed: ['2026-02-20'] }] },
    ]);
    expect(text).toContain(
      'users lacks 2026-02-10, 2026-02-11, 2026-02-12, 2026-02-13, 2026-02-14 and 2 more',
    );
    expect(text).toContain('users failed for 2026-02-20');
  });

  it('says how to begin when nothing is loaded', () => {
    expect(describeCoverage([])).toContain('usage-etl backfill');
  });
});
