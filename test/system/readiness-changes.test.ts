/** Readiness reports over time: restated, listed no more, listed again; what errors must not do; replay and verify. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { job as backfill } from '../../jobs/backfill.ts';
import { job as nightly } from '../../jobs/nightly.ts';
import { job as replay } from '../../jobs/replay.ts';
import { job as status } from '../../jobs/status.ts';
import { job as verify } from '../../jobs/verify.ts';
import { openChunk } from '../../src/model/record-chunk.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runInProcess } from '../support/in-process.ts';
import { factRows, rejectedRows } from '../support/ledger-rows.ts';
import {
  organizationOf,
  type ReadinessPlatform,
  type Report,
  report,
  startReadinessPlatform,
} from '../support/readiness-platform.ts';
import { expectedReadiness, storedReadiness } from '../support/readiness-warehouse.ts';

let platform: ReadinessPlatform;
let database: TestDatabase;

beforeEach(async () => {
  [platform, database] = await Promise.all([startReadinessPlatform(), createTestDatabase()]);
});
afterEach(async () => {
  await platform.server.close();
  await database.drop();
});

const environment = (key = 'a') => ({
  API_BASE_URL: platform.url.href,
  APP_BASE_URL: platform.url.href,
  API_KEY: key,
  DATABASE_URL: database.url,
  REQUESTS_PER_SECOND: '1000',
  MAX_RETRIES: '0',
});
const load = (options: Readonly<Record<string, unknown>> = {}, key?: string) =>
  runInProcess(backfill, { endpoints: 'readiness', ...options }, environment(key));
const stored = (key = 'a') => storedReadiness(database.pool, organizationOf(key));
const listReports = (reports: readonly Report[], key = 'a') => platform.reports.set(key, reports);

const all = [1, 2, 3, 4, 5].map((number) => report(number));
const [first, second, third, fourth, fifth] = [
  report(1),
  report(2),
  report(3),
  report(4),
  report(5),
] as const;

test.each([
  [500, 1],
  [404, 1],
  [403, 1],
  [401, 3],
])('a %i in the middle changes nothing, and unlists nothing', async (code, exitCode) => {
  listReports(all);
  await load();
  const before = await factRows(database.pool);
  listReports([report(1, { branch: 'other' }), third, fourth, fifth]);
  platform.fault = (number) => (number === 2 ? code : undefined);
  expect(await load()).toMatchObject({ code: exitCode, json: { sources: { readiness: 'failed' } } });
  expect(await factRows(database.pool)).toEqual(before);
  platform.fault = () => undefined;
  await load();
  expect(await stored()).toEqual(
    expectedReadiness([report(1, { branch: 'other' }), third, fourth, fifth], [second]),
  );
});

test.each([403, 404])('a %i is no failure of a night that named no source', async (code) => {
  listReports(all);
  await load();
  const before = await factRows(database.pool);
  platform.fault = () => code;
  const night = (more: Readonly<Record<string, string>>) =>
    runInProcess(nightly, { date: '2026-01-14' }, { ...environment(), LOOKBACK_DAYS: '0', ...more });
  expect(await night({})).toMatchObject({
    code: 0,
    json: { status: 'succeeded', slices: { planned: 5, failed: 0 }, sources: { readiness: 'unavailable' } },
  });
  expect(await night({ SOURCES: 'readiness' })).toMatchObject({
    code: 1,
    json: { slices: { planned: 6, failed: 1 }, sources: { readiness: 'failed' } },
  });
  expect(await factRows(database.pool)).toEqual(before);
});

test('a report that cannot be read keeps its rows, and so does a criterion', async () => {
  listReports(all);
  await load();
  listReports([
    { ...first, createdAt: 'never' },
    second,
    report(3, { report: { linter: { numerator: -1, denominator: 2, rationale: 'because' } } }),
    fourth,
    fifth,
  ]);
  const { json } = await load();
  expect(json).toMatchObject({ rows: { rejected: 2 }, sources: { readiness: 'loaded' } });
  const kept = await stored();
  const of = (rows: typeof kept) => ({
    reports: rows.reports,
    apps: rows.apps,
    // Of the third the linter is kept, and what it no longer names is gone.
    criteria: rows.criteria.filter(([id, criterion]) => id !== third.reportId || criterion === 'linter'),
  });
  expect(of(kept)).toEqual(of(expectedReadiness(all)));
  expect(kept.criteria.filter(([id]) => id === third.reportId)).toHaveLength(1);
  expect(await rejectedRows(database.pool, 'readiness')).toHaveLength(2);
});

test('two organizations never mix, though they evaluate one repository by reports of one id', async () => {
  const other = [report(1, { branch: 'of b' }), report(9)];
  listReports(all);
  listReports(other, 'b');
  await load({}, 'a');
  await load({}, 'b');
  listReports([first], 'a');
  await load({}, 'a');
  expect(await stored('a')).toEqual(expectedReadiness([first], [second, third, fourth, fifth]));
  expect(await stored('b')).toEqual(expectedReadiness(other));
});

test('replay brings back what was loaded last, and verify finds nothing to say of it', async () => {
  listReports(all);
  await load();
  const before = await stored();
  await database.pool.query(
    'delete from warehouse.fact_readiness_app; delete from warehouse.fact_readiness_report',
  );
  const without = (await runInProcess(verify, {}, environment())).json;
  expect(without).toMatchObject({
    checks: expect.arrayContaining([expect.objectContaining({ name: 'rows_in_ledger', contradictions: 3 })]),
  });
  expect(await runInProcess(replay, { endpoints: 'readiness' }, environment())).toMatchObject({ code: 0 });
  expect(await stored()).toEqual(before);
  expect(await runInProcess(verify, { strict: true }, environment())).toMatchObject({
    code: 0,
    json: { contradictions: [], failures: [] },
  });
});

test('status lists the daily endpoints, and beside them what is held of reports', async () => {
  listReports(all);
  await load();
  const { json } = await runInProcess(status, {}, environment());
  expect(json).toMatchObject({
    organizations: [
      {
        endpoints: ['tokens', 'tools', 'activity', 'productivity', 'users'].map((endpoint) => ({ endpoint })),
        other_sources: [{ endpoint: 'readiness', days_loaded: 1, gaps: [], failed: [] }],
      },
    ],
  });
});

test('a repository is stored without the name and the password of who reads there', async () => {
  listReports([
    report(1, { repoUrl: 'https://ann:t0ken@git.example.com/acme/web' }),
    report(2, { repoUrl: 'https://t0ken@git.example.com/acme/web' }),
    report(3, { repoUrl: 'ssh://git:t0ken@git.example.com/acme/web' }),
  ]);
  await load();
  const { rows } = await database.pool.query(
    'select repo_url, owner, name from warehouse.dim_repository order by repo_url',
  );
  expect(rows).toEqual([
    { repo_url: 'https://git.example.com/acme/web', owner: 'acme', name: 'web' },
    { repo_url: 'ssh://git@git.example.com/acme/web', owner: 'acme', name: 'web' },
  ]);
});

test('with USER_EMAIL=none a repository keeps its address, and no e-mail is stored', async () => {
  const address = 'git@git.example.com:acme/web.git';
  const author = 'bob@example.com';
  listReports([report(1, { repoUrl: address, commitHash: author, branch: `of ${author}` })]);
  await runInProcess(backfill, { endpoints: 'readiness' }, { ...environment(), USER_EMAIL: 'none' });
  const { rows } = await database.pool.query(
    'select repo_url, host, owner, name, commit_hash, branch from bi.readiness_by_repository join warehouse.fact_readiness_report using (report_id)',
  );
  expect(rows).toEqual([
    {
      repo_url: address,
      host: 'git.example.com',
      owner: 'acme',
      name: 'web',
      commit_hash: expect.stringMatching(/^e-mail-/),
      branch: expect.stringMatching(/^of e-mail-/),
    },
  ]);
  // What was stored before nobody wanted addresses is looked at again: this one stays.
  await runInProcess(backfill, { endpoints: 'readiness' }, { ...environment(), USER_EMAIL: 'none' });
  expect((await database.pool.query('select repo_url from warehouse.dim_repository')).rows).toEqual([
    { repo_url: address },
  ]);
});

test('the address of a repository names nobody who reads it, with USER_EMAIL=none in the archive neither', async () => {
  const none = { ...environment(), USER_EMAIL: 'none' };
  listReports([
    report(1, { repoUrl: 'https://jane@git.example.com/acme/web' }),
    report(2, { repoUrl: 'https://bob@git.example.com/acme/web' }),
    report(3, { repoUrl: 'https://jane%40example.com@git.example.com/acme/api' }),
  ]);
  await runInProcess(backfill, { endpoints: 'readiness' }, environment());
  const addresses = async () =>
    (
      await database.pool.query<{ repo_url: string; host: string; owner: string; name: string }>(
        'select repo_url, host, owner, name from warehouse.dim_repository order by repo_url',
      )
    ).rows;
  const known = { host: 'git.example.com', owner: 'acme' };
  const expected = [
    { repo_url: 'https://git.example.com/acme/api', ...known, name: 'api' },
    { repo_url: 'https://git.example.com/acme/web', ...known, name: 'web' },
  ];
  expect(await addresses()).toEqual(expected);
  await runInProcess(backfill, { endpoints: 'readiness' }, none);
  expect(await addresses()).toEqual(expected);
  const { rows: archived } = await database.pool.query<{ payload: Buffer }>(
    'select payload from etl.raw_slice',
  );
  const texts = await Promise.all(archived.map(async ({ payload }) => await openChunk(payload)));
  const text = texts
    .flat()
    .map(({ bytes }) => bytes.toString())
    .join();
  expect(text).toContain('https://git.example.com/acme/web');
  expect(text).not.toMatch(/jane|bob/);
  // What comes anew is called the same.
  listReports([report(4, { repoUrl: 'https://eve@git.example.com/acme/api' })]);
  await runInProcess(backfill, { endpoints: 'readiness' }, none);
  expect(await addresses()).toEqual(expected);
});

test('what must work and is named, or lies nowhere, is told before anything is asked', async () => {
  const { APP_BASE_URL: _, ...without } = environment();
  for (const [options, more] of [
    [{ endpoints: 'readiness' }, {}],
    [{}, { SOURCES: 'readiness' }],
  ] as const)
    await expect(runInProcess(backfill, options, { ...without, ...more })).rejects.toThrow(
      /^APP_BASE_URL: missing; set it, because readiness is required/,
    );
  expect(platform.server.arrivals).toEqual([]);
  const { json } = await runInProcess(backfill, { dryRun: true, endpoints: 'readiness' }, without);
  expect(json).toMatchObject({ plans: [{ slices: 1, endpoints: [{ endpoint: 'readiness', from: 'all' }] }] });
});
