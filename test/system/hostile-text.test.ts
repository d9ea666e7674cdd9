import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import { fieldsOf, itemsOf } from '../support/exact-json.ts';
import { type Installation, install } from '../support/installation.ts';
import type { Ended } from '../support/program.ts';

const key = 'kQ7vXw2ZpL9tRb4NcY8mJd';
const range = '--from 2026-01-14 --to 2026-01-17';
/** Clears a screen, rings, forges a line, writes from right to left, and does it again in other encodings. */
const evil = '\u001b[2J\u0007\nforged: all is well\r\u202etxt\u2066\u2028\u009b31m\u200f';
/** Secrets stand where texts are likely to be cut. */
const echoes = [30, 50, 190, 195, 490, 495, 990, 1_990].map((length) => `${'x'.repeat(length)}${key}`);

const problem = (status: number, echo: string): Fault => ({
  kind: 'status',
  status,
  headers: { 'retry-after': `${evil.replace(/[^ -~]/g, '')}${echo}` },
  body: { title: `${evil}${echo}`, detail: `${evil}${echo}`, requestId: `req${evil}${echo}` },
});

/** Texts in `value`, which came out of JSON. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => [name, ...textsIn(item)]);
}

function expectHarmless(texts: readonly string[]): void {
  for (const text of texts) {
    expect(text).not.toMatch(/\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
    expect(text).not.toMatch(/^forged/);
    for (let start = 0; start + 6 <= key.length; start++)
      expect(text).not.toContain(key.slice(start, start + 6));
  }
}

/** Nothing in any line of the output can harm, neither as it is nor once JSON in it is read. */
function expectHarmlessOutput({ stdout, stderr }: Ended): void {
  for (const line of `${stdout}\n${stderr}`.split('\n')) {
    expectHarmless([line]);
    if (line.startsWith('{')) expectHarmless(textsIn(JSON.parse(line)));
  }
}

describe('whatever the platform writes', () => {
  let installation: Installation;

  beforeAll(async () => {
    let asked = 0;
    installation = await install({
      users: 5,
      apiKeys: { [key]: 'owner' },
      organizationId: `org${evil}`,
      fault: ({ path, query }) => {
        // The organization is learned from an answer for yesterday.
        if ((query.startDate ?? '') > '2026-01-17') return undefined;
        const echo = echoes[asked++ % echoes.length] ?? '';
        if (query.group_by !== undefined && path.endsWith('/tools')) return problem(400, echo);
        if (query.group_by !== undefined) return { kind: 'mutate', mutate: withForeignGroup };
        if (path.endsWith('/users') && query.startDate !== '2026-01-14') return problem(400, echo);
        if (path.endsWith('/tools')) return problem(503, echo);
        if (path.endsWith('/activity'))
          return { kind: 'status', status: 200, body: 'x', contentType: `text/html ${echo.slice(0, 200)}` };
        if (path.endsWith('/productivity'))
          return { kind: 'status', status: 302, headers: { location: `https://x.example/${key}` } };
        return undefined;
      },
    });
  });

  afterAll(() => installation[Symbol.asyncDispose]());

  function withForeignGroup(envelope: unknown): unknown {
    const { data, meta } = fieldsOf(envelope);
    return { data: itemsOf(data).map((row) => ({ ...fieldsOf(row), group_key: `model${evil}` })), meta };
  }

  const run = (commandLine: string, environment = {}) =>
    installation.run(commandLine, { API_KEY: key, LOG_LEVEL: 'trace', MAX_RETRIES: '0', ...environment });

  test.each([
    ['backfill as text', `backfill ${range}`, {}],
    ['backfill as JSON', `backfill ${range} --json`, {}],
    ['a log for people', `backfill ${range}`, { LOG_FORMAT: 'pretty', MAX_RETRIES: '1' }],
    ['status', `status ${range}`, {}],
    ['status as JSON', `status ${range} --json`, {}],
    ['a plan', `backfill ${range} --dry-run`, {}],
    ['verify', `verify ${range}`, {}],
    ['verify as JSON', `verify ${range} --json`, {}],
  ])('reaches no terminal in a harmful way by %s', async (_name, commandLine, environment) => {
    const ended = await run(commandLine, environment);
    expect([0, 1]).toContain(ended.code);
    expect(ended.stdout).not.toBe('');
    expectHarmlessOutput(ended);
  });

  test('shows the words of a problem, and its request id, however long the words are', async () => {
    const { stderr } = await run(`backfill --from 2026-01-15 --to 2026-01-15 --endpoints users`);
    expect(stderr).toContain('forged: all is well');
    expect(stderr).toContain('request id req');
  });

  test('is recorded as an error without anything harmful', async () => {
    const { rows } = await installation.database.pool.query<{ error: string }>(
      'select error from etl.slice where error is not null union all select error from etl.run where error is not null',
    );
    expect(rows.length).toBeGreaterThan(10);
    expectHarmless(rows.map(({ error }) => error));
  });
});

test('a body that is no JSON is not quoted: a piece of a secret in it would not be recognized', async () => {
  await using installation = await install({
    users: 5,
    apiKeys: { [key]: 'owner' },
    fault: () => ({
      kind: 'status',
      status: 200,
      body: `{"data": [${key}]}`,
      contentType: 'application/json',
    }),
  });
  const ended = await installation.run(`backfill ${range}`, { API_KEY: key, LOG_LEVEL: 'trace' });
  expect(ended.code).toBe(1);
  expectHarmlessOutput(ended);
});
