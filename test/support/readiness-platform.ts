/** A platform for tests of readiness reports: a test decides which reports it lists, and how. */
import { type AnsweringServer, sendJson, startAnsweringServer } from './answering-server.ts';

/** A report as the platform writes it; a test may add any field. */
export type Report = Readonly<Record<string, unknown>> & { readonly reportId: string };

/** The data of the platform, and how it answers; a test may change both at any time. */
export interface ReadinessPlatform {
  readonly url: URL;
  /** The reports by the API key of their organization, in the order in which they are listed. */
  readonly reports: Map<string, readonly Report[]>;
  /** Returns the number of reports on a page for a `limit`, or for none. */
  pageSize: (limit: number | undefined) => number | 'refused';
  /** Whether a page begins with the report that `startAfter` names. */
  isInclusive: boolean;
  /** Reports with which every page begins that has other reports. */
  pinned: readonly Report[];
  /** The status with which a page size is refused. */
  refusal: number;
  /** Returns a status to answer instead of a page; undefined for the page. `number` is 1 for the first page of a reading. */
  fault: (number: number) => number | undefined;
  /** Paths and queries of the pages that were asked for. */
  readonly asked: string[];
  readonly server: AnsweringServer;
}

/** The id of the organization of an API key. */
export const organizationOf = (key: string) => `org_of_${key}`;

const list = '/api/organization/maturity-level-reports';

/** Starts a platform that has no reports, and pages of two. */
export async function startReadinessPlatform(): Promise<ReadinessPlatform> {
  let page = 0;
  const server = await startAnsweringServer((response, _number, { url = '', headers }) => {
    const { pathname, searchParams, search } = new URL(url, 'http://platform');
    const key = headers.authorization?.replace('Bearer ', '') ?? '';
    if (pathname.startsWith('/api/v1/analytics/')) {
      const [start_date, end_date] = [searchParams.get('startDate'), searchParams.get('endDate')];
      sendJson(response, { data: [], meta: { org_id: organizationOf(key), start_date, end_date } });
      return;
    }
    platform.asked.push(pathname + search);
    const after = searchParams.get('startAfter');
    page = after === null ? 1 : page + 1;
    const limit = searchParams.get('limit');
    const size = platform.pageSize(limit === null ? undefined : Number(limit));
    const status =
      pathname === list ? (platform.fault(page) ?? (size === 'refused' ? platform.refusal : 200)) : 404;
    if (status !== 200 || size === 'refused') {
      sendJson(response, { title: 'No', detail: 'as wanted', status }, status);
      return;
    }
    const all = platform.reports.get(key) ?? [];
    const found = all.findIndex(({ reportId }) => reportId === after);
    const start = found + (platform.isInclusive && found >= 0 ? 0 : 1);
    const reports = all.slice(start, start + size);
    sendJson(response, { reports: reports.length === 0 ? [] : [...platform.pinned, ...reports] });
  });
  const platform: ReadinessPlatform = {
    url: server.url,
    server,
    reports: new Map(),
    pageSize: () => 2,
    isInclusive: false,
    pinned: [],
    refusal: 400,
    fault: () => undefined,
    asked: [],
  };
  return platform;
}

export const reportId = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** A report of a repository; the later its number, the newer it is. */
export function report(number: number, changes: Readonly<Record<string, unknown>> = {}): Report {
  return {
    reportId: reportId(number),
    createdAt: 1_773_000_000_000 + number * 1000,
    repoUrl: `https://git.example.com/acme/repository-${number % 3}`,
    apps: {
      '.': { description: 'All of it' },
      [`apps/${number}`]: { description: 'An "app",\n\\ and null' },
    },
    report: {
      linter: { numerator: number % 3, denominator: 2, rationale: 'because' },
      tests: { numerator: 1, denominator: 1, rationale: '' },
    },
    commitHash: `c${number}`,
    branch: 'main',
    hasLocalChanges: false,
    hasNonRemoteCommits: true,
    modelUsed: { id: 'some-model', reasoningEffort: 'low' },
    droidVersion: '0.22.3',
    ...changes,
  };
}
