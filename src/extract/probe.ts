/** A single request to an address of the platform, for `doctor`: status, clock and body of any answer. */
import { lookup } from 'node:dns/promises';
import { createDispatcher, sendRequest } from './http-exchange.ts';

/** The answer of a probe. */
export interface ProbeAnswer {
  readonly status: number;
  /** The platform's time, in ms since 1970; undefined when it sends none. */
  readonly timeMs: number | undefined;
  /** The parsed body; undefined when it is no JSON. */
  readonly body: unknown;
  /** The target of a redirect; undefined without one. */
  readonly location: string | undefined;
}

const limits = { requestTimeoutMs: 6_000, maxResponseBytes: 1024 * 1024 };

/** Resolves a host name. Throws the system's error. */
export async function resolveHost({ hostname }: URL): Promise<void> {
  await lookup(hostname.replace(/^\[|\]$/g, ''));
}

/**
 * Sends one GET without following redirects. Throws a connection or TLS error, or `AttemptError` when no answer comes
 * within some seconds.
 */
export async function sendProbe(
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  const dispatcher = createDispatcher(url, 1);
  try {
    const answer = await sendRequest({ method: 'GET', url, headers }, limits, dispatcher, signal);
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
    // No JSON: for `doctor` this is enough to see that the answer is not from the platform.
    return undefined;
  }
}
