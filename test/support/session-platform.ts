/** A platform with sessions that a test writes, and a warehouse for them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendJson, startAnsweringServer } from './answering-server.ts';
import { type CommandChanges, commandInProcess } from './commands-in-process.ts';
import { createTestDatabase } from './database.ts';
import { type Ended, programFile, startProgram } from './program.ts';

type Message = Readonly<Record<string, unknown>>;

/** An answer that replaces a page; default status 200. */
interface Answer {
  readonly status?: number;
  readonly body: unknown;
}

/** A request to the platform. */
export interface Asked {
  readonly session: string;
  /** The id of the requested message; undefined for the list of messages. */
  readonly message: string | undefined;
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** Sets up platform and warehouse; dispose of both after the test. */
export async function installSessions() {
  const sessions = new Map<string, readonly Message[]>();
  const asked: Asked[] = [];
  const platform = {
    /** The messages of sessions, in the order in which they are listed. Any other session is unknown. */
    sessions,
    asked,
    /** Status of the analytics endpoints. */
    analytics: 200,
    /** Returns an answer for a request; undefined for the usual answer. */
    answer: (_: Asked): Answer | undefined => undefined,
  };
  const server = await startAnsweringServer((response, _number, { url = '' }) => {
    const { pathname, searchParams } = new URL(url, 'http://platform');
    if (pathname.startsWith('/api/v1/analytics/')) {
      const [start_date, end_date] = [searchParams.get('startDate'), searchParams.get('endDate')];
      const meta = { org_id: 'org_test', start_date, end_date, has_more: false };
      sendJson(response, platform.analytics === 200 ? { data: [], meta } : problem, platform.analytics);
      return;
    }
    const path = /^\/api\/v0\/sessions\/([^/]+)\/messages(?:\/([^/]+))?$/.exec(pathname);
    if (path === null) {
      sendJson(response, problem, 404);
      return;
    }
    const [, session = '', message] = path;
    const question = {
      session: decodeURIComponent(session),
      message: message && decodeURIComponent(message),
      cursor: searchParams.get('cursor') ?? undefined,
      limit: Number(searchParams.get('limit')),
    };
    asked.push(question);
    const { status = 200, body } = platform.answer(question) ?? usual(question);
    sendJson(response, body, status);
  });
  function usual({ session, message, cursor, limit }: Asked): Answer {
    const all = sessions.get(session);
    const one = message === undefined ? undefined : all?.find(({ id }) => id === message);
    if (all === undefined || (message !== undefined && one === undefined))
      return { status: 404, body: problem };
    if (one !== undefined) return { body: one };
    const start = Number(cursor ?? 0);
    const end = start + limit;
    const pagination = end < all.length ? { hasMore: true, nextCursor: String(end) } : { hasMore: false };
    return { body: { messages: all.slice(start, end), pagination } };
  }
  const database = await createTestDatabase();
  const home = await mkdtemp(join(tmpdir(), 'usage-etl-sessions-'));
  const spool = join(home, 'spool');
  const environment = {
    API_BASE_URL: server.url.href,
    API_KEY: 'key-of-the-tests',
    DATABASE_URL: database.url,
    DATA_DIR: join(home, 'data'),
    SESSION_SPOOL_DIR: spool,
    REQUESTS_PER_SECOND: '1000',
    MAX_RETRIES: '0',
  };
  return {
    platform,
    pool: database.pool,
    environment,
    home,
    spool,
    /** Runs a command in the process of the test. */
    command: (commandLine: string, changes?: CommandChanges) =>
      commandInProcess({ environment }, commandLine, changes),
    /** Runs a command as a separate process. */
    run: (commandLine: string, more: Readonly<Record<string, string>> = {}): Promise<Ended> =>
      startProgram(programFile, commandLine.split(' '), { ...environment, ...more }).ended,
    async [Symbol.asyncDispose]() {
      await server.close();
      await database.drop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

const problem = { title: 'Refused', detail: 'as wanted', status: 400 };

/** Messages with these ids, a second apart. */
export function messagesOf(...ids: readonly string[]): Message[] {
  return ids.map((id, index) => ({
    id,
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text: `text of ${id}` }],
    createdAt: 1_773_046_800_000 + index * 1_000,
    updatedAt: 1_773_046_800_000 + index * 1_000,
    ...(index % 2 === 1 && { modelId: 'gpt-5.1-codex' }),
  }));
}
