/**
 * Nights of a platform that says well-formed and wrong things, fails, is late and pages oddly, and recovers in the end.
 *
 * Four nights after that, an endpoint and day (a slice) holds exactly what was last said of it and not refused, and it is
 * in one of these states:
 * - right: it holds what is true;
 * - refused: what is true would shrink it too much. The summary of the last night, `status --check` and
 *   `bi.data_freshness` name it, and no slice that is right;
 * - the platform has no rows for it, and none are held: empty, or named as pending where it lies within the last nights;
 * - excused: it lay behind the lookback when the platform recovered, and the last answer was wrong without a sign of it,
 *   or was believed to be empty by enough evidence. Only `verify` can know of that. No slice is
 *   excused whose last reading failed, or did not come to its end.
 */
import fc from 'fast-check';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { addDays, type Day, daysOf } from '../../src/model/day.ts';
import { commandInProcess } from '../support/commands-in-process.ts';
import { createTestDatabase } from '../support/database.ts';
import { endpoints } from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';
import { createJudge, nameOf, type Slice, type Verdict, verdicts, warehouseOf } from './night-judge.ts';
import { anySeries, daysBefore, type Series } from './night-plans.ts';
import { randomTest } from './random-test.ts';
import { firstDay, startUnsteadyPlatform, type UnsteadyPlatform } from './unsteady-platform.ts';

/** Nights of a series before the platform recovers, and after that. */
const [unsteadyNights, steadyNights] = [6, 4];
const lookbackDays = 3;
const nights = randomTest('USAGE_ETL_RANDOM_NIGHTS', {
  file: 'random-nights',
  count: 40,
  seed: 20260202,
  timeoutMs: 300_000,
});

test(`${nights.count} random nights end in what is true, or name what is not`, {
  timeout: nights.timeoutMs,
}, async ({ onTestFailed }) => {
  onTestFailed(nights.tellHowToRepeat);
  const totals: Record<string, number> = Object.fromEntries(verdicts.map((verdict) => [verdict, 0]));
  const numRuns = Math.ceil(nights.count / (unsteadyNights + steadyNights));
  await fc.assert(
    fc.asyncProperty(anySeries(unsteadyNights), async (series) => {
      for (const verdict of await playSeries(series)) totals[verdict] = (totals[verdict] ?? 0) + 1;
    }),
    {
      numRuns,
      seed: nights.seed,
      interruptAfterTimeLimit: nights.timeoutMs * 0.9,
      markInterruptAsFailure: true,
    },
  );
  console.log(
    `${numRuns * (unsteadyNights + steadyNights)} nights, endpoints and days by how they were found (seed ${nights.seed}):`,
    JSON.stringify(totals),
  );
});

const summary = z.object({
  status: z.string(),
  slices: z.record(z.string(), z.number()),
  refused: z
    .array(
      z.object({
        endpoint: z.string(),
        slice_key: z.string(),
        table: z.string(),
        held: z.number(),
        would_hold: z.number(),
      }),
    )
    .default([]),
});

const coverage = z.object({
  organizations: z.tuple([
    z.object({
      endpoints: z.array(
        z.object({
          endpoint: z.string(),
          gaps: z.array(z.string()),
          failed: z.array(z.string()),
          pending: z.array(z.string()),
          refused: z.array(z.string()),
        }),
      ),
    }),
  ]),
});

/** Plays a series of nights until the platform has recovered, and judges what they end in. */
async function playSeries(series: Series): Promise<readonly Verdict[]> {
  const platform = await startUnsteadyPlatform(series);
  const database = await createTestDatabase();
  const { pool } = database;
  const environment = {
    API_BASE_URL: platform.url.href,
    API_KEY: 'key',
    DATABASE_URL: database.url,
    REQUESTS_PER_SECOND: '1000',
    MAX_RETRIES: '0',
    LOOKBACK_DAYS: String(lookbackDays),
    PAGE_SIZE: String(series.pageSize),
    WINDOW_DAYS: String(series.windowDays),
  };
  let yesterday = addDays(firstDay, daysBefore - 2);
  const run = (commandLine: string) => {
    platform.beginCommand();
    const noon = Date.parse(`${addDays(yesterday, 1)}T12:00:00Z`);
    return commandInProcess({ environment }, commandLine, { clock: () => noon });
  };
  const range = () => `--from ${firstDay} --to ${yesterday}`;
  try {
    const steady = Array.from({ length: steadyNights }, () => undefined);
    let last: unknown;
    for (const plan of [...series.nights, ...steady]) {
      yesterday = addDays(yesterday, 1);
      platform.begin(yesterday, plan);
      if (plan === series.nights[0] && series.askedFirst.length > 0)
        await run(`backfill --endpoints ${series.askedFirst.join(',')} ${range()}`);
      // A platform that answers nothing at all is asked again the next night.
      else if (!(await areAllAskedFor(pool))) await run(`backfill ${range()}`);
      for (const command of plan?.commands ?? ['nightly'])
        last = (await run(command.startsWith('backfill') ? `${command} ${range()}` : command)).json;
    }
    const recovery = { first: addDays(yesterday, 1 - steadyNights), last: yesterday, lookbackDays };
    const slices = daysOf({ from: firstDay, to: yesterday }).flatMap((day) =>
      endpoints.map((endpoint): Slice => ({ endpoint, day })),
    );
    const refused = await namedAlike(pool, summary.parse(last), await run('status --check'), yesterday);
    const stored = await storedWarehouse(pool);
    for (const { endpoint, slice_key, table, held, would_hold } of refused) {
      const slice = slices.find((each) => each.endpoint === endpoint && each.day === slice_key);
      const rows = slice && warehouseOf(slice, platform.truth(endpoint, slice.day))[table];
      const rowsHeld = stored[table]?.filter(({ usage_date }) => usage_date === slice_key);
      expect({ endpoint, slice_key, table, held, would_hold }).toMatchObject({
        held: rowsHeld?.length,
        would_hold: rows?.length,
      });
    }
    const judge = createJudge(
      platform,
      {
        stored,
        status: await statuses(pool),
        refused: new Set(refused.map(({ endpoint, slice_key }) => `${endpoint} ${slice_key}`)),
      },
      recovery,
    );
    const verdictsOf = slices.map((slice) => ({ slice, verdict: judge(slice) }));
    const wrong = verdictsOf.flatMap(({ slice, verdict }) =>
      typeof verdict === 'object'
        ? [{ slice: nameOf(slice), ...verdict, said: saidOf(platform, slice) }]
        : [],
    );
    expect(wrong).toEqual([]);
    return verdictsOf.flatMap(({ verdict }) => (typeof verdict === 'object' ? [] : [verdict]));
  } finally {
    await platform.close();
    await database.drop();
  }
}

/** What the platform said of a slice night by night, for people. */
function saidOf(platform: UnsteadyPlatform, { endpoint, day }: Slice): string[] {
  return platform
    .attempts(endpoint, day)
    .map(
      ({ night, as, rows }) => `${night}: ${as}, ${rows === undefined ? 'no answer' : `${rows.length} rows`}`,
    );
}

/** The refused slices, after the summary, `status --check`, `data_freshness` and `data_gaps` were found to name the same. */
async function namedAlike(
  pool: pg.Pool,
  { status, slices, refused }: z.infer<typeof summary>,
  checked: Awaited<ReturnType<typeof commandInProcess>>,
  yesterday: Day,
) {
  const bySummary = new Set(refused.map(({ endpoint, slice_key }) => `${endpoint} ${slice_key}`));
  const [{ endpoints: covered }] = coverage.parse(checked.json).organizations;
  const byStatus = (kind: 'gaps' | 'failed' | 'pending' | 'refused') =>
    covered.flatMap((each) => each[kind].map((day) => `${each.endpoint} ${day}`)).sort();
  const pending = byStatus('pending');
  expect({ status, failed: slices.failed, pending: slices.pending, refused: slices.refused }).toEqual({
    status: 'succeeded',
    failed: 0,
    pending: pending.length,
    refused: bySummary.size,
  });
  expect({ gaps: byStatus('gaps'), failed: byStatus('failed'), refused: byStatus('refused') }).toEqual({
    gaps: [],
    failed: [],
    refused: [...bySummary].sort(),
  });
  const isIncomplete = bySummary.size > 0 || pending.some((name) => name.endsWith(yesterday));
  expect(checked.code).toBe(isIncomplete ? 1 : 0);
  const freshness = await pool.query<Record<string, unknown>>(
    `select endpoint, days_pending::integer, days_failed::integer, days_refused::integer
     from bi.data_freshness order by endpoint`,
  );
  expect(freshness.rows).toEqual(
    [...endpoints].sort().map((endpoint) => ({
      endpoint,
      days_pending: pending.filter((name) => name.startsWith(`${endpoint} `)).length,
      days_failed: 0,
      days_refused: [...bySummary].filter((name) => name.startsWith(`${endpoint} `)).length,
    })),
  );
  // The database's own yesterday is a later one.
  const gaps = await pool.query<{ name: string; reason: string }>(
    `select endpoint || ' ' || usage_date as name, reason from bi.data_gaps where usage_date <= $1 order by 1`,
    [yesterday],
  );
  expect(gaps.rows).toEqual(pending.map((name) => ({ name, reason: 'pending' })));
  return refused;
}

async function areAllAskedFor(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query('select from etl.asked_range where endpoint = any($1)', [endpoints]);
  return rowCount === endpoints.length;
}

async function statuses(pool: pg.Pool): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ name: string; status: string }>(
    `select endpoint || ' ' || usage_date as name, status from etl.slice where usage_date is not null`,
  );
  return new Map(rows.map(({ name, status }) => [name, status]));
}
