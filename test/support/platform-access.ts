/** A client of the platform with settings for tests: short waits before retries, and a large rate budget. */
import {
  createPlatformClient,
  type PlatformClient,
  type PlatformClientOptions,
} from '../../src/extract/platform-client.ts';
import { parseJson } from '../../src/model/json.ts';
import { quickTiming } from './timing.ts';

/** The credential that these clients send. */
export const apiKey = 'key-of-the-tests';

/** Opens a client; close it at the end. */
export function openClient(baseUrl: URL, changes: Partial<PlatformClientOptions> = {}): PlatformClient {
  return createPlatformClient({
    baseUrl,
    apiKey,
    userAgent: 'usage-etl/test',
    requestsPerSecond: 1000,
    maxConcurrency: 4,
    requestTimeoutMs: 60_000,
    maxResponseBytes: 1_000_000,
    maxRetries: 2,
    timing: quickTiming,
    signal: new AbortController().signal,
    ...changes,
  });
}

/** Parses any JSON body, for tests that do not look at its content. Throws `SyntaxError` if it is not JSON. */
export function anyJson(body: Buffer): unknown {
  return parseJson(body.toString()).value;
}
