/** A platform whose list of computers a test writes, a warehouse, and nights on any day. */
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { job as backfill } from '../../jobs/backfill.ts';
import { job as nightly } from '../../jobs/nightly.ts';
import { job as replay } from '../../jobs/replay.ts';
import type { Day } from '../../src/model/day.ts';
import { sendJson, startAnsweringServer } from './answering-server.ts';
import type { ComputerRecord, Snapshots } from './computer-warehouse.ts';
import { createTestDatabase } from './database.ts';
import { runInProcess } from './in-process.ts';
import { apiKey } from './platform-access.ts';

const path = '/api/v0/computers';
const answered = z.looseObject({ slices: z.record(z.string(), z.number()), sources: z.unknown().optional() });

/** A platform with computers that a test writes, and the warehouse for them. Dispose of it at the end. */
export async function startComputerSnapshots() {
  let list: readonly ComputerRecord[] = [];
  let spoil: ((response: ServerResponse, query: URLSearchParams) => boolean) | undefined;
  const server = await startAnsweringServer((response, _, { url = '' }) => {
    const { pathname, searchParams } = new URL(url, 'http://platform');
    if (pathname === path) {
      if (spoil?.(response, searchParams) !== true) sendJson(response, { computers: list });
      return;
    }
    const [start_date, end_date] = [searchParams.get('startDate'), searchParams.get('endDate')];
    sendJson(response, { data: [], meta: { org_id: 'org_test', start_date, end_date, has_more: false } });
  });
  const database = await createTestDatabase();
  const environment = {
    API_BASE_URL: server.url.href,
    API_KEY: apiKey,
    DATABASE_URL: database.url,
    REQUESTS_PER_SECOND: '1000',
    MAX_RETRIES: '0',
  };
  const said: Record<string, readonly ComputerRecord[]> = {};
  const noon = (day: Day) => Date.parse(`${day}T12:00:00Z`);
  const run = async (
    job: typeof nightly,
    options: object,
    day: Day,
    changes: Record<string, string> = {},
  ) => {
    const ended = await runInProcess(job, { ...options }, { ...environment, ...changes }, () => noon(day));
    return { code: ended.code, summary: answered.parse(ended.json) };
  };
  return {
    database,
    /** The last list of the platform on each day. */
    said: said as Snapshots,
    /** The queries with which the list was requested so far. */
    queries: () =>
      server.arrivals.flatMap(({ url }) => (url.startsWith(path) ? [url.slice(path.length)] : [])),
    /** Sets a function that gets every request for the list. If it returns true, it has answered the request. */
    spoil(how: typeof spoil) {
      spoil = how;
    },
    /** Runs a night on which the platform lists these computers. */
    night(day: Day, computers: readonly ComputerRecord[], changes?: Record<string, string>) {
      list = computers;
      said[day] = computers;
      return run(nightly, {}, day, changes);
    },
    /** Reads the computers only; throws when that fails. */
    read: (day: Day) => run(backfill, { endpoints: 'computers' }, day),
    replay: (day: Day) => run(replay, {}, day),
    async rows(text: string): Promise<readonly unknown[][]> {
      return (await database.pool.query<unknown[]>({ text, rowMode: 'array' })).rows;
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await database.drop();
    },
  };
}
