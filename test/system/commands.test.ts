import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmptyDatabase } from '../support/database.ts';
import { type Installation, install } from '../support/installation.ts';
import { startProgram } from '../support/program.ts';

const [from, to] = ['2026-01-14', '2026-01-16'];

describe('status, --json and --dry-run', () => {
  let installation: Installation;
  let isBroken = false;

  beforeAll(async () => {
    installation = await install({
      fault: ({ path }) => (isBroken && path.endsWith('/tools') ? { kind: 'reset' } : undefined),
    });
  });

  afterAll(() => installation[Symbol.asyncDispose]());

  test('--dry-run prints the plan, asks for nothing and records nothing', async () => {
    const { code, stdout } = await installation.run(
      `backfill --from ${from} --to ${to} --endpoints tokens,users --dry-run --json`,
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ plans: [{ slices: 6 }] });
    expect(installation.simulator.requests).toEqual([]);
    const { rows } = await installation.database.pool.query(
      'select (select count(*) from etl.run) + (select count(*) from etl.slice) as recorded',
    );
    expect(rows).toEqual([{ recorded: '0' }]);
  });

  test('status --check fails while nothing is loaded', async () => {
    expect((await installation.run('status --check')).code).toBe(1);
    expect((await installation.run('status')).code).toBe(0);
  });

  test('backfill --json prints one object and logs to standard error', async () => {
    const { code, stdout, stderr } = await installation.run(`backfill --from ${from} --to ${to} --json`);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    const { slices, rows, requests, ...rest } = JSON.parse(stdout);
    expect(rest).toEqual({
      run_id: 1,
      status: 'succeeded',
      sources: { readiness: 'off', computers: 'unavailable' },
      duration_ms: expect.any(Number),
    });
    expect(slices).toEqual({
      planned: 15,
      loaded: 15,
      unchanged: 0,
      empty: 0,
      pending: 0,
      refused: 0,
      failed: 0,
    });
    expect(Object.keys(rows)).toEqual(['read', 'inserted', 'updated', 'deleted', 'rejected']);
    expect(requests).toEqual({ sent: installation.simulator.counts.requests, retried: 0 });
    for (const line of stderr.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('level');
  });

  test('backfill without --json prints for people', async () => {
    const { code, stdout } = await installation.run(`backfill --from ${from} --to ${to}`);
    expect(code).toBe(0);
    expect(stdout).toContain('succeeded');
    expect(() => JSON.parse(stdout)).toThrow();
  });

  test('status --check succeeds for a range that is loaded and fails for one with gaps', async () => {
    expect((await installation.run(`status --check --from ${from} --to ${to}`)).code).toBe(0);
    const { code, stdout } = await installation.run(`status --check --from ${from} --to 2026-01-17 --json`);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      complete: false,
      organizations: [{ endpoints: Array(5).fill({ days_loaded: 3, gaps: ['2026-01-17'], failed: [] }) }],
    });
  });

  test('status --check fails when a slice has failed, and says which', async () => {
    isBroken = true;
    expect((await installation.run('nightly --date 2026-01-17')).code).toBe(1);
    isBroken = false;
    const { code, stdout } = await installation.run(
      `status --check --from 2026-01-17 --to 2026-01-17 --json`,
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout).organizations[0].endpoints).toContainEqual(
      expect.objectContaining({ endpoint: 'tools', gaps: [], failed: ['2026-01-17'] }),
    );
  });

  test('a job is also a file that cron can call by itself', async () => {
    const job = startProgram('jobs/nightly.ts', ['--date', '2026-01-17', '--json'], installation.environment);
    const { code, stdout } = await job.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded', slices: { failed: 0 } });
  });
});

test('migrate brings an empty database up to date, and --status lists without touching it', async () => {
  await using installation = await install();
  const empty = await createEmptyDatabase();
  try {
    const inEmpty = { DATABASE_URL: empty.url };
    const statusOf = async () => {
      const { code, stdout } = await installation.run('migrate --status --json', inEmpty);
      expect(code).toBe(0);
      return JSON.parse(stdout).migrations.map(({ applied }: { applied: boolean }) => applied);
    };
    const before = await statusOf();
    expect(before.length).toBeGreaterThan(2);
    expect(new Set(before)).toEqual(new Set([false]));
    const { rows } = await empty.pool.query(
      "select nspname from pg_namespace where nspname in ('warehouse', 'bi', 'bi_people', 'etl')",
    );
    expect(rows).toEqual([]);
    expect((await installation.run('migrate', inEmpty)).code).toBe(0);
    expect(new Set(await statusOf())).toEqual(new Set([true]));
    const loaded = await installation.load(`backfill --from ${from} --to ${from}`, inEmpty);
    expect(loaded.summary.slices.loaded).toBe(5);
  } finally {
    await empty.drop();
  }
});
