/**
 * A platform with three made-up sources, and the real jobs that read it. The sources have the partitionings that the
 * daily endpoints do not have: a snapshot of today, a plain list, and children of parents that somebody names.
 */

import { z } from 'zod';
import { type Config, parseConfig } from '../../src/model/config.ts';
import { type Day, type DayRange, day, earliestDay, today, yesterday } from '../../src/model/day.ts';
import type { RunReport } from '../../src/model/run-report.ts';
import { createSanitizer } from '../../src/model/sanitize.ts';
import type { Source } from '../../src/model/source.ts';
import type { VerificationReport } from '../../src/model/verification.ts';
import { runLoadJob } from '../../src/pipeline/loading/load-slices.ts';
import { replay } from '../../src/pipeline/loading/replay.ts';
import { coverageOfAll } from '../../src/pipeline/plan/coverage.ts';
import { planBackfill } from '../../src/pipeline/plan/plan.ts';
import { connectionsOfRun } from '../../src/pipeline/runs/connections-of-run.ts';
import type { OpenSurroundings } from '../../src/pipeline/runs/job-surroundings.ts';
import { verify } from '../../src/pipeline/verify/verify.ts';
import { openLog } from '../../src/reporting/log.ts';
import { childrenOfParents } from '../../src/sources/partitioning/children-of-parents.ts';
import { snapshotOfToday } from '../../src/sources/partitioning/snapshot-of-today.ts';
import { openPool, withSession } from '../../src/warehouse/connection/connection.ts';
import type { Coverage } from '../../src/warehouse/ledger/coverage.ts';
import { reviews } from '../fixtures/made-up/reviews/source.ts';
import { sendJson, startAnsweringServer } from './answering-server.ts';
import { computers as flatComputers, messages as flatMessages } from './made-up-sources.ts';
import { quickTiming } from './timing.ts';

export { reviews };

export const computers: Source = {
  ...flatComputers,
  name: 'computers',
  envelope: { records: 'computers' },
  partitioning: snapshotOfToday({ path: '/api/v1/computers', query: {} }),
  version: 'of the made-up sources',
};

/** Messages of sessions. The id of a session begins with its day, so several slices have the same day. */
export const messages: Source = {
  ...flatMessages,
  name: 'messages',
  envelope: {
    records: 'messages',
    meta: {
      field: 'pagination',
      schema: z
        .object({ hasMore: z.boolean(), nextCursor: z.string().nullable() })
        .transform(({ nextCursor }) => ({ cursor: nextCursor ?? undefined })),
    },
  },
  partitioning: {
    ...childrenOfParents('session_id', (session) => `/api/v1/sessions/${session}/messages`),
    dayOf: (session) => day(session.slice(0, 10)),
  },
  version: 'of the made-up sources',
};

export const madeUpSources: readonly Source[] = [computers, reviews, messages];

type Records = readonly Readonly<Record<string, unknown>>[];

/** The data of the platform; a test may change it. */
export interface MadeUpPlatform {
  readonly url: URL;
  computers: Records;
  reviews: Records;
  readonly messages: Map<string, Records>;
  /** Returns the status with which a path is answered, such as 500; undefined for the usual answer. */
  fault: (path: string) => number | undefined;
  /** The requests, except those that ask for the organization. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** Records on a page of any list. */
const pageSize = 3;
const lastPage = { hasMore: false, nextCursor: null };

export async function startMadeUpPlatform(): Promise<MadeUpPlatform> {
  const messagesOf = new Map<string, Records>();
  const server = await startAnsweringServer((response, _number, { url: asked = '' }) => {
    const { pathname, searchParams, search } = new URL(asked, 'http://platform');
    if (pathname === '/api/v1/analytics/activity') {
      const [start_date, end_date] = [searchParams.get('startDate'), searchParams.get('endDate')];
      sendJson(response, { data: [], meta: { org_id: 'org_test', start_date, end_date } });
      return;
    }
    platform.asked.push(pathname + search);
    const status = platform.fault(pathname + search) ?? 200;
    sendJson(response, status === 200 ? answerOf(pathname, searchParams) : { error: 'as wanted' }, status);
  });
  function answerOf(path: string, query: URLSearchParams): unknown {
    if (path === '/api/v1/computers') return { computers: platform.computers };
    if (path === '/api/v1/reviews') {
      const start = platform.reviews.findIndex(({ reviewId }) => reviewId === query.get('after_id')) + 1;
      return { reviews: platform.reviews.slice(start, start + pageSize) };
    }
    const [, session = ''] = /^\/api\/v1\/sessions\/([^/]+)\/messages$/.exec(path) ?? [];
    const [all, start] = [messagesOf.get(session) ?? [], Number(query.get('cursor') ?? 0)];
    const end = start + pageSize;
    const pagination = end < all.length ? { hasMore: true, nextCursor: String(end) } : lastPage;
    return { messages: all.slice(start, end), pagination };
  }
  const platform: MadeUpPlatform = {
    url: server.url,
    computers: [],
    reviews: [],
    messages: messagesOf,
    fault: () => undefined,
    asked: [],
    close: () => server.close(),
  };
  return platform;
}

/** How a job runs. */
export interface MadeUpRun {
  readonly platform: MadeUpPlatform;
  readonly databaseUrl: string;
  /** The UTC day on which the job runs. */
  readonly on: Day;
  readonly sources?: readonly Source[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly force?: boolean;
}

const redact = createSanitizer([]);
const clockOf = (on: Day) => () => Date.parse(`${on}T12:00:00Z`);

function configOf({ platform, databaseUrl, environment }: MadeUpRun): Config & { databaseUrl: string } {
  const variables = {
    API_BASE_URL: platform.url.href,
    API_KEY: 'key-of-the-tests',
    DATABASE_URL: databaseUrl,
    REQUESTS_PER_SECOND: '1000',
    MAX_RETRIES: '1',
    ...environment,
  };
  const config = parseConfig(variables, { needsPlatform: true, readSecretFile: () => '' });
  return { ...config, databaseUrl };
}

/** Opens a pool for one job. */
async function withPool<Result>(run: MadeUpRun, work: (surroundings: OpenSurroundings) => Promise<Result>) {
  const config = configOf(run);
  const abort = new AbortController();
  const pool = openPool(config.databaseUrl, connectionsOfRun, {
    limits: config,
    signal: abort.signal,
    timing: quickTiming,
  });
  const log = await openLog({ level: 'silent', format: 'json', redact, isTerminal: false, colors: false });
  const warehouse = { pool, url: config.databaseUrl, isEmbedded: false, close: () => pool.end() };
  const clock = clockOf(run.on);
  try {
    return await work({
      config,
      clock,
      log,
      redact,
      isTerminal: false,
      abort,
      timing: quickTiming,
      warehouse,
    });
  } finally {
    await pool.end();
  }
}

/** Loads everything that the platform has. */
export function load(run: MadeUpRun): Promise<RunReport> {
  const { sources = madeUpSources, force = false, platform } = run;
  return withPool(run, (surroundings) => {
    const range = { from: earliestDay, to: yesterday(surroundings.clock) };
    const named = new Map([['messages', [...platform.messages.keys()]]]);
    return runLoadJob(
      {
        name: 'backfill',
        arguments: {},
        yesterday: range.to,
        sources,
        plan: (known, plan) => planBackfill(sources, range, { ...known, named }, { ...plan, force }),
        force,
      },
      surroundings,
    );
  });
}

/** Loads everything from the archive; with `range` only slices with days in it. */
export function replayAll(run: MadeUpRun, range?: DayRange): Promise<RunReport> {
  return withPool(run, (surroundings) => {
    const to = yesterday(surroundings.clock);
    const job = {
      sources: madeUpSources,
      range: range ?? { from: earliestDay, to },
      all: range === undefined,
    };
    return replay(job, surroundings);
  });
}

/** Verifies all days up to the day before the run. */
export function verifyAll(run: MadeUpRun): Promise<VerificationReport> {
  return withPool(run, (surroundings) => {
    const to = yesterday(surroundings.clock);
    const range = { from: earliestDay, to };
    return verify({ sources: madeUpSources, range, yesterday: to, archive: 'none' }, surroundings);
  });
}

/** The coverage of the warehouse, as `status` computes it. */
export function coverage(run: MadeUpRun): Promise<readonly Coverage[]> {
  return withPool(run, async ({ warehouse: { pool }, clock }) => {
    const days = { from: undefined, to: yesterday(clock), today: today(clock) };
    const [of] = await withSession(pool, ({ db }) => coverageOfAll(db, madeUpSources, days));
    if (of === undefined) throw new RangeError('expected an organization');
    return [...of.endpoints, ...of.other_sources];
  });
}
