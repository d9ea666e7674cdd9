/** The whole simulated platform from a seed, at a time that a test moves, and requests to it. */
import { expect } from 'vitest';
import type { z } from 'zod';
import { day } from '../../src/model/day.ts';
import { simulatorFromSeed } from '../../src/simulator/from-seed.ts';
import type { Choices } from '../../src/simulator/open-points.ts';

/** What came: the status and the parsed body. */
export interface Came {
  readonly status: number;
  readonly body: unknown;
}

/** The body, which must be what the schema describes, and hold nothing beside it. */
export function bodyAs<Schema extends z.ZodType>(schema: Schema, { body }: Came): z.output<Schema> {
  const parsed = schema.parse(body);
  expect(parsed).toEqual(body);
  return parsed;
}

export const startOfTests = Date.parse('2026-03-10T12:00:00Z');

/** Thirty users since 2026-01-14; dispose of it to close it. */
export async function startWholePlatform(choices: Choices = {}, role: 'owner' | 'member' = 'owner') {
  let now = startOfTests;
  const simulator = await simulatorFromSeed({
    seed: 3,
    users: 30,
    from: day('2026-01-14'),
    apiKey: 'key',
    role,
    choices,
    clock: () => now,
  });
  async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${simulator.url}${path}`, {
      method,
      headers: {
        authorization: 'Bearer key',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const came: Came = { status: response.status, body: await response.json() };
    return came;
  }
  return {
    url: simulator.url,
    send,
    get: (path: string) => send('GET', path),
    /** Lets time pass. */
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
    [Symbol.asyncDispose]: () => simulator.close(),
  };
}
