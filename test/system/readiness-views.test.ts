/** The views about readiness, against figures that are computed here from the reports. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { job as backfill } from '../../jobs/backfill.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runInProcess } from '../support/in-process.ts';
import {
  organizationOf,
  type ReadinessPlatform,
  type Report,
  report,
  startReadinessPlatform,
} from '../support/readiness-platform.ts';

const criterion = (numerator: number, denominator: number) => ({ numerator, denominator, rationale: '' });
const web = 'https://git.example.com/acme/web';
const api = 'git@git.example.com:acme/api.git';
const none = '/srv/git/nothing';

/** Listed in no order; the newest of each repository is not the last that is listed. */
const reports: readonly Report[] = [
  report(5, { repoUrl: web, report: { linter: criterion(1, 2), tests: criterion(3, 3) } }),
  report(1, { repoUrl: web, report: { linter: criterion(0, 2) } }),
  report(3, {
    repoUrl: web,
    report: { linter: criterion(0, 2), tests: criterion(1, 3), docs: criterion(1, 1) },
  }),
  report(2, { repoUrl: api, report: { linter: criterion(1, 1), tests: criterion(0, 1) } }),
  report(4, { repoUrl: none, report: {} }),
];
const ofOther: readonly Report[] = [
  report(7, { repoUrl: web, report: { linter: criterion(2, 2) } }),
  report(6, { repoUrl: web, report: {} }),
];

const shape = z.object({
  reportId: z.string(),
  createdAt: z.number(),
  repoUrl: z.string(),
  report: z.record(z.string(), z.object({ numerator: z.number(), denominator: z.number() })),
});
type Shape = z.infer<typeof shape>;

let platform: ReadinessPlatform;
let database: TestDatabase;

beforeAll(async () => {
  [platform, database] = await Promise.all([startReadinessPlatform(), createTestDatabase()]);
  platform.reports.set('a', reports);
  platform.reports.set('b', ofOther);
  for (const key of ['a', 'b', 'a']) {
    await runInProcess(
      backfill,
      { endpoints: 'readiness' },
      {
        API_BASE_URL: platform.url.href,
        APP_BASE_URL: platform.url.href,
        API_KEY: key,
        DATABASE_URL: database.url,
        REQUESTS_PER_SECOND: '1000',
      },
    );
    // Then the platform lists the newest report of one repository no more.
    platform.reports.set('a', reports.slice(1));
  }
});
afterAll(async () => {
  await platform.server.close();
  await database.drop();
});

const rowsOf = async (text: string, key: string) =>
  (await database.pool.query<Record<string, unknown>>(text, [organizationOf(key)])).rows;

/** The reports of each repository, newest first. */
function byRepository(of: readonly Report[]): Map<string, Shape[]> {
  const newestFirst = of.map((each) => shape.parse(each)).toSorted((a, b) => b.createdAt - a.createdAt);
  return Map.groupBy(newestFirst, ({ repoUrl }) => repoUrl);
}

function scoreOf(evaluations: readonly { numerator: number; denominator: number }[]): number | null {
  const sum = (figure: 'numerator' | 'denominator') =>
    evaluations.reduce((total, evaluation) => total + evaluation[figure], 0);
  return sum('denominator') === 0 ? null : sum('numerator') / sum('denominator');
}

const organizations: [string, readonly Report[], string | undefined][] = [
  ['a', reports, reports[0]?.reportId],
  ['b', ofOther, undefined],
];

test.each(organizations)(
  'every repository of %s has its newest report and the change',
  async (key, of, gone) => {
    const expected = [...byRepository(of)].map(([repoUrl, [newest, before]]) => {
      const score = scoreOf(Object.values(newest?.report ?? {}));
      const earlier = before === undefined ? null : scoreOf(Object.values(before.report));
      return {
        repo_url: repoUrl,
        report_id: newest?.reportId,
        created_at: new Date(newest?.createdAt ?? 0),
        score,
        score_change: score === null || earlier === null ? null : score - earlier,
        is_listed: newest?.reportId !== gone,
      };
    });
    const found = await rowsOf(
      `select repo_url, report_id, created_at, score, score_change, is_listed
    from bi.readiness_by_repository where org_id = $1 order by repo_url`,
      key,
    );
    expect(found).toEqual(expected.toSorted((x, y) => (x.repo_url < y.repo_url ? -1 : 1)));
  },
);

test.each(organizations)('every criterion of %s counts the newest reports that have it', async (key, of) => {
  const newest = [...byRepository(of).values()].flatMap(([first]) => Object.entries(first?.report ?? {}));
  const expected = [...Map.groupBy(newest, ([id]) => id)].map(([id, entries]) => {
    const evaluations = entries.map(([, evaluation]) => evaluation);
    const passing = evaluations.filter(({ numerator, denominator }) => numerator === denominator).length;
    return {
      criterion_id: id,
      repositories: evaluations.length,
      passing,
      passing_share: passing / evaluations.length,
      score: scoreOf(evaluations),
    };
  });
  expect(expected.length).toBeGreaterThan(0);
  const found = await rowsOf(
    `select criterion_id, repositories::int, passing::int, passing_share, score
    from bi.readiness_by_criterion where org_id = $1 order by criterion_id`,
    key,
  );
  expect(found).toEqual(expected.toSorted((x, y) => (x.criterion_id < y.criterion_id ? -1 : 1)));
});

test('the parts of an address stand beside it', async () => {
  expect(
    await rowsOf(
      'select repo_url, host, owner, name from bi.readiness_by_repository where org_id = $1 order by 1',
      'a',
    ),
  ).toEqual([
    { repo_url: none, host: null, owner: null, name: null },
    { repo_url: api, host: 'git.example.com', owner: 'acme', name: 'api' },
    { repo_url: web, host: 'git.example.com', owner: 'acme', name: 'web' },
  ]);
});
