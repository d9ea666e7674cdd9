/**
 * A strict simulator of the platform on loopback: it refuses what the documentation says is refused, and serves no more
 * than it promises. It uses `node:http`, because faults need the socket, and because Hono's adapter for Node is fast only
 * when it replaces the global `Request` and `Response`, which the tested client uses, too.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, systemClock } from '../model/clock.ts';
import type { DayRange } from '../model/day.ts';
import type { ApiKeys } from './access.ts';
import { daysAskedFor } from './analytics-query.ts';
import { type Answer, problemAnswer } from './answer.ts';
import { Computers } from './computers.ts';
import type { Dataset } from './dataset.ts';
import { type Fault, sendWithFault } from './faults.ts';
import { type Choices, openPointsOf } from './open-points.ts';
import { routesOf } from './operation.ts';
import { operationsOf } from './operations.ts';
import type { ListedReport } from './readiness-reports.ts';
import { readBody } from './request-body.ts';
import { createRouting } from './routing.ts';
import { noSessions, type Sessions } from './sessions.ts';
import { UserLimits } from './user-limits.ts';

export interface SimulatedRequest {
  /** Number of the request, from 1 for the simulator's first. */
  readonly number: number;
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** The body as text; empty without one. */
  body: string;
  /** The days from `startDate` to `endDate`; undefined when they are invalid. */
  readonly days: DayRange | undefined;
  /** Time of arrival by the machine's clock, in ms since 1970. */
  readonly at: number;
  /** The status of the answer; undefined before the answer, and after the faults `reset` and `hang`. */
  status: number | undefined;
}

export interface SimulatorCounts {
  requests: number;
  readonly byPath: Record<string, number>;
  readonly byStatus: Record<string, number>;
  /** Requests that have not been answered yet. */
  inFlight: number;
  /** Highest value of `inFlight`. */
  maxInFlight: number;
}

export interface SimulatorOptions {
  readonly dataset: Dataset;
  readonly organizationId: string;
  readonly apiKeys: ApiKeys;
  /** The other resources; default: no computers, reports, sessions and users. */
  readonly computers?: Computers;
  readonly reports?: () => readonly ListedReport[];
  readonly sessions?: Sessions;
  readonly limits?: UserLimits;
  /** Choices for open points. `computers` and `sessions` do not follow them: they get their choices when they are made. */
  readonly choices?: Choices;
  /** Decides the current day and the `Date` header; default the machine's clock. */
  readonly clock?: Clock;
  /** Delay of each answer, in ms; default 0. */
  readonly latencyMs?: number;
  /** The port to listen on; 0, the default, means any free port. */
  readonly port?: number;
  /** Called for each request before its answer; returns the fault of the answer, if any. */
  readonly fault?: (request: SimulatedRequest) => Fault | undefined;
  /** Whether `requests` is filled; default true. */
  readonly recordRequests?: boolean;
  /** Size of the answer cache in bytes; default 64 MiB. */
  readonly cacheBytes?: number;
}

export interface Simulator {
  /** `http://127.0.0.1:<port>`, to be used as `{base_url}`. */
  readonly url: string;
  readonly port: number;
  /** The last requests, oldest first: at least the last 50,000. */
  readonly requests: readonly SimulatedRequest[];
  readonly counts: Readonly<SimulatorCounts>;
  /** Stops listening and closes all connections, also those that wait for an answer. */
  close(): Promise<void>;
}

const maxRecordedRequests = 100_000;
const host = '127.0.0.1';

/** Longer than any pause of a client, so that no idle connection closes when a request is just being sent. */
const keepAliveTimeoutMs = 600_000;

/** Starts a simulator. Rejects when the port cannot be listened on. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { dataset, organizationId, apiKeys, clock = systemClock, cacheBytes = 64 * 1024 * 1024 } = options;
  const points = openPointsOf(options.choices);
  const {
    computers = new Computers({ seed: 0, clock, points }),
    reports = () => [],
    sessions = noSessions,
    limits = new UserLimits(() => false),
  } = options;
  const findHandler = createRouting(
    routesOf(
      operationsOf({
        dataset,
        computers,
        reports,
        sessions,
        limits,
        organizationId,
        apiKeys,
        clock,
        points,
        cacheBytes,
      }),
    ),
  );
  const requests: SimulatedRequest[] = [];
  const counts: SimulatorCounts = { requests: 0, byPath: {}, byStatus: {}, inFlight: 0, maxInFlight: 0 };

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { pathname: path, searchParams: query } = new URL(`http://${host}${incoming.url}`);
    const request = recordOf(incoming, path, query);
    const isAnalytics = path.startsWith('/api/v1/analytics/');
    const requestId = isAnalytics ? `req_${String(request.number).padStart(8, '0')}` : undefined;
    outgoing.once('close', () => counts.inFlight--);
    const body = await readBody(incoming);
    request.body = body.toString();

    const fault = options.fault?.(request);
    const pauseMs = (options.latencyMs ?? 0) + (fault?.kind === 'delay' ? fault.ms : 0);
    if (pauseMs > 0) await wait(pauseMs, undefined, { ref: false });
    if (outgoing.destroyed) return;
    outgoing.setHeader('date', new Date(clock()).toUTCString());
    sendWithFault(outgoing, fault, () => answerTo(request, query, body, requestId), requestId);
    if (!outgoing.headersSent) return;
    request.status = outgoing.statusCode;
    countAt(counts.byStatus, outgoing.statusCode);
  }

  function answerTo(
    { method, path: asked, headers }: SimulatedRequest,
    query: URLSearchParams,
    body: Buffer,
    requestId: string | undefined,
  ): Answer {
    try {
      const { handler, path } = findHandler(method, asked);
      const { authorization, 'content-type': contentType } = headers;
      return handler({ path, query, body, contentType, authorization });
    } catch (error) {
      return problemAnswer(error, requestId);
    }
  }

  function recordOf(incoming: IncomingMessage, path: string, query: URLSearchParams): SimulatedRequest {
    counts.requests++;
    counts.inFlight++;
    counts.maxInFlight = Math.max(counts.maxInFlight, counts.inFlight);
    countAt(counts.byPath, path);
    const request: SimulatedRequest = {
      number: counts.requests,
      method: incoming.method ?? '',
      path,
      query: Object.fromEntries(query),
      headers: incoming.headers,
      body: '',
      days: daysAskedFor(query),
      at: Date.now(),
      status: undefined,
    };
    if (options.recordRequests ?? true) {
      if (requests.length >= maxRecordedRequests) requests.splice(0, maxRecordedRequests / 2);
      requests.push(request);
    }
    return request;
  }

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch((error: unknown) =>
      outgoing.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  });
  server.keepAliveTimeout = keepAliveTimeoutMs;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error(`expected to listen on a port of ${host}, got ${JSON.stringify(address)}`);

  return {
    url: `http://${host}:${address.port}`,
    port: address.port,
    requests,
    counts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function countAt(counts: Record<string, number>, key: string | number): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
