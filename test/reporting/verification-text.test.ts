import { expect, test } from 'vitest';
import type { VerificationReport } from '../../src/model/verification.ts';
import { describeVerification } from '../../src/reporting/verification-text.ts';

const check = { name: 'grouped_tokens', compared: 10, ok: 10, remainders: 0, contradictions: 0 };
const good: VerificationReport = {
  runId: 2,
  status: 'succeeded',
  checks: [check],
  contradictions: [],
  remainders: [],
  failures: [],
  stoppedBy: undefined,
};
const headlineOf = (report: Partial<VerificationReport>) =>
  describeVerification({ ...good, ...report }).split('\n')[0];

test('the first line says what was found, and never that a verification failed because nothing was wrong', () => {
  expect(headlineOf({})).toBe('Verification 2: no contradictions in 1 check');
  expect(headlineOf({ checks: [{ ...check, contradictions: 1200 }] })).toBe(
    'Verification 2: 1,200 contradictions in 1 check',
  );
  expect(headlineOf({ checks: [], status: 'failed', stoppedBy: new Error('no answer') })).toBe(
    'Verification 2 failed before anything was compared',
  );
  const failures = [{ endpoint: 'grouped_tools', key: '2026-03-01', reason: 'no answer' }];
  expect(headlineOf({ failures, status: 'partial' })).toBe(
    'Verification 2 is not complete: 1 part could not be compared; no contradictions in the rest',
  );
});

test('parts that could not be compared for one reason are told once', () => {
  const failures = ['01', '02', '03'].map((day) => ({
    endpoint: 'grouped_tools',
    key: `2026-03-${day}`,
    reason: 'no answer',
  }));
  expect(describeVerification({ ...good, failures })).toContain(
    '  grouped_tools: 3 parts, 2026-03-01 to 2026-03-03: no answer',
  );
});
