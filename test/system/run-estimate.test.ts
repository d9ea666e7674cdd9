/**
 * How well a run with many pages of users is estimated. Its time is counted in requests, so that a busy machine changes
 * nothing: each answer takes as long as the rate budget of one request.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/model/run.ts';
import { type Progress, RunProgress } from '../../src/model/work/run-progress.ts';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { install, sharedInstallation } from '../support/installation.ts';

const range = '--from 2026-01-19 --to 2026-02-01';
const requestMs = 100;

/** What the bar showed after each answer. */
interface Watched {
  readonly requests: number;
  /** The requests that the plan expected. */
  readonly planned: number | undefined;
  readonly shown: readonly (Progress | undefined)[];
}

const installation = await sharedInstallation({ users: 3_000 });

describe('a backfill of two weeks with 3,000 users', () => {
  let first: Watched;

  beforeAll(async () => {
    first = await watch(`backfill ${range}`);
  });

  async function watch(commandLine: string): Promise<Watched> {
    let answers = 0;
    const progress = new RunProgress(() => answers * requestMs);
    const shown: (Progress | undefined)[] = [];
    let planned: number | undefined;
    const hear = (event: RunEvent) => {
      if (event.type === 'answer-received') answers += 1;
      progress.hear(
        event.type === 'planned' && event.asking !== undefined
          ? { ...event, asking: { ...event.asking, limits: config, answerMs: requestMs } }
          : event.type === 'attempt-ended'
            ? { ...event, durationMs: requestMs }
            : event,
      );
      shown[answers] = progress.shown;
      if (event.type === 'planned') planned = progress.shown?.requests?.total;
    };
    const config = { requestsPerSecond: 1000 / requestMs, maxConcurrency: 4, pageSize: 100 };
    const { code } = await loadInProcess(installation, commandLine, { observers: [() => hear] });
    expect(code).toBe(0);
    return { requests: answers, planned, shown };
  }

  test('has many more requests than its plan can know', () => {
    expect(first.planned).toBeUndefined();
    expect(first.requests).toBeGreaterThan(100);
  });

  test('after a tenth of the time its whole time is known within a factor of 1.5', () => {
    const { requests, shown } = first;
    for (let answers = Math.ceil(requests / 10); answers < requests; answers++) {
      const left = shown[answers]?.timeLeftMs;
      if (left === undefined) expect.fail(`no time is told after ${answers} of ${requests} answers`);
      const share = (answers * requestMs + left) / (requests * requestMs);
      expect(share, `after ${answers} of ${requests} answers`).toBeGreaterThan(1 / 1.5);
      expect(share, `after ${answers} of ${requests} answers`).toBeLessThan(1.5);
    }
  });

  test('its bar never goes back, and never stands for more than a twentieth of the run', () => {
    const { requests, shown } = first;
    let [since, percent] = [0, 0];
    for (let answers = 1; answers <= requests; answers++) {
      const now = Math.floor(100 * (shown[answers]?.share ?? 0));
      expect(now).toBeGreaterThanOrEqual(percent);
      if (now > percent) [since, percent] = [answers, now];
      expect(answers - since, `${percent} % at ${answers} of ${requests}`).toBeLessThanOrEqual(requests / 20);
    }
    expect(shown.at(-1)?.share).toBe(1);
  });

  test('leaves what the next plan needs, with --dry-run and without', async () => {
    const next = await watch(`backfill ${range} --force`);
    const { json } = await commandInProcess(installation, `backfill ${range} --force --dry-run`);
    expect(next.requests).toBe(first.requests);
    expect(json).toMatchObject({ plans: [{ requests_expected: next.planned, pages_unknown: [] }] });
    expect((next.planned ?? 0) / next.requests).toBeGreaterThan(1 / 1.1);
    expect((next.planned ?? 0) / next.requests).toBeLessThan(1.1);
  });
});

test('a first plan says that the pages of users are not known', async () => {
  await using fresh = await install();
  const plan = `backfill ${range} --dry-run`;
  const { stdout } = await fresh.run(plan);
  expect(stdout).toMatch(/\d+ slices in at least \d+ requests; pages of users are not known yet\n/);
  const { json } = await commandInProcess(fresh, plan);
  const unknown = { requests_expected: null, pages_unknown: ['users'], expected_seconds: null };
  expect(json).toMatchObject({ plans: [unknown] });
});
