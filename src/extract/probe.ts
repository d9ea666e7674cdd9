/** One look at an address of the platform, for `doctor`: whatever comes back, its status, its clock, its words. */
import { lookup } from 'node:dns/promises';
import { createDispatcher, receive } from './attempt.ts';

/** What came back. */
export interface ProbeAnswer {
  readonly status: number;
  /** The platform's clock, in milliseconds since 1970; undefined when it does not tell. */
  readonly timeMs: number | undefined;
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown;
  /** Where it redirects to; undefined when it does not. */
  readonly location: string | undefined;
}

const limits = { requestTimeoutMs: 6_000, maxResponseBytes: 1024 * 1024 };

/** Resolves the name of a host. Throws what the system says when it cannot. */
export async function resolveHost({ hostname }: URL): Promise<void> {
  await lookup(hostname.replace(/^\[|\]$/g, ''));
}

/**
 * Sends one GET and follows nothing. Throws when no answer comes within some seconds: an error of the connection or of
 * TLS, or one that says so.
 */
export async function look(
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  const dispatcher = createDispatcher(url, 1);
  try {
    const answer = await receive({ method: 'GET', url, headers }, limits, dispatcher, signal);
    const { date, location } = answer.headers;
    const time = typeof date === 'string' ? Date.parse(date) : Number.NaN;
    return {
      status: answer.statusCode,
      timeMs: Number.isNaN(time) ? undefined : time,
      body: jsonOf(answer.body),
      location: typeof location === 'string' ? location : undefined,
    };
  } finally {
    await dispatcher.destroy();
  }
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // Whoever answers is not the platform: that it is no JSON says enough.
    return undefined;
  }
}
