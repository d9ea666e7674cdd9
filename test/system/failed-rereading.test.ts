import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { daysOf } from '../../src/model/day.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import type { SimulatedRequest } from '../../src/simulator/server.ts';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { type Installation, install } from '../support/installation.ts';
import { archiveRows, factRows, sliceRow } from '../support/ledger-rows.ts';
import { changeRows, without } from '../support/quirky-payloads.ts';

const [from, to] = ['2026-01-14', '2026-01-20'];
/** Long before the days that nightly reads anyway. */
const old = '2026-01-15';
const nightly = `nightly --date ${to}`;

describe('a slice that is held and whose reading fails', () => {
  let installation: Installation;
  let fault: ((request: SimulatedRequest) => Fault | undefined) | undefined;

  beforeEach(async () => {
    installation = await install({ users: 60, fault: (request) => fault?.(request) });
    expect((await load(`backfill --from ${from} --to ${to}`)).code).toBe(0);
  });

  afterEach(async () => {
    fault = undefined;
    await installation[Symbol.asyncDispose]();
  });

  const load = (commandLine: string, environment: Readonly<Record<string, string>> = {}) =>
    loadInProcess(installation, commandLine, { environment: { LOOKBACK_DAYS: '0', ...environment } });

  const refuse = (endpoint: string) => {
    fault = ({ path, days }) =>
      path.endsWith(`/${endpoint}`) && days !== undefined && daysOf(days).some((each) => each === old)
        ? { kind: 'status', status: 500 }
        : undefined;
  };

  const readOldAgain = (endpoint: string) =>
    load(`backfill --from ${old} --to ${old} --endpoints ${endpoint} --force`);

  /** Whether the platform was asked for the old day of an endpoint since a request. */
  const wasAsked = (endpoint: string, since: number) =>
    installation.simulator.requests
      .slice(since)
      .some(
        ({ path, days }) =>
          path.endsWith(`/${endpoint}`) && days !== undefined && daysOf(days).some((each) => each === old),
      );

  const failures: [string, string, () => void, RegExp][] = [
    ['is not answered', 'tokens', () => refuse('tokens'), /500/],
    ['is not answered', 'users', () => refuse('users'), /500/],
    [
      'has too many records that cannot be read',
      'users',
      () =>
        changeRows(installation.dataset, 'users', old, (row, index) =>
          index % 2 === 0 ? without(row, 'user_id') : row,
        ),
      /MAX_REJECTED_SHARE/,
    ],
    [
      'is of another organization',
      'tools',
      () => {
        fault = ({ path }) =>
          path.endsWith('/tools')
            ? {
                kind: 'rewrite',
                rewrite: (body) => Buffer.from(body.toString().replace('org_test', 'org_else')),
              }
            : undefined;
      },
      /org_else/,
    ],
  ];

  test.each(failures)(
    'because it %s (/%s) stays loaded, says what went wrong, and keeps rows, hash and archive',
    async (_why, endpoint, spoil, says) => {
      const { pool } = installation.database;
      const before = await sliceRow(pool, endpoint, old);
      const held = [await factRows(pool), await archiveRows(pool, endpoint, old)];
      spoil();
      const { code, summary } = await readOldAgain(endpoint);
      expect({ code, ...summary }).toMatchObject({ code: 1, slices: { failed: 1 } });
      expect([await factRows(pool), await archiveRows(pool, endpoint, old)]).toEqual(held);
      expect(await sliceRow(pool, endpoint, old)).toMatchObject({
        status: 'loaded',
        source_hash: before?.source_hash,
        row_count: before?.row_count,
        loaded_at: before?.loaded_at,
        error: null,
        last_error: expect.stringMatching(says),
        last_failed_at: expect.any(String),
      });
    },
  );

  test('is read again by every nightly, however old, until that succeeds', async () => {
    const { database, simulator } = installation;
    refuse('tokens');
    await readOldAgain('tokens');
    const first = await sliceRow(database.pool, 'tokens', old);

    let since = simulator.requests.length;
    expect(await load(nightly)).toMatchObject({ code: 1, summary: { slices: { planned: 6, failed: 1 } } });
    expect(wasAsked('tokens', since)).toBe(true);
    const second = await sliceRow(database.pool, 'tokens', old);
    expect(second).toMatchObject({ status: 'loaded', error: null, last_error: expect.any(String) });
    expect(second?.last_failed_at).not.toBe(first?.last_failed_at);

    fault = undefined;
    since = simulator.requests.length;
    expect(await load(nightly)).toMatchObject({ code: 0, summary: { slices: { planned: 6, failed: 0 } } });
    expect(wasAsked('tokens', since)).toBe(true);
    expect(await sliceRow(database.pool, 'tokens', old)).toMatchObject({
      status: 'loaded',
      error: null,
      last_error: null,
      last_failed_at: null,
      loaded_at: first?.loaded_at,
    });

    since = simulator.requests.length;
    expect((await load(nightly)).summary.slices.planned).toBe(5);
    expect(wasAsked('tokens', since)).toBe(false);
  });

  test('is forgotten as failed when new content is loaded', async () => {
    const { database, dataset } = installation;
    refuse('users');
    await readOldAgain('users');
    fault = undefined;
    changeRows(dataset, 'users', old, (row) => ({ ...row, sessions: 7 }));
    expect(await load(nightly)).toMatchObject({ code: 0, summary: { slices: { loaded: 1, failed: 0 } } });
    expect(await sliceRow(database.pool, 'users', old)).toMatchObject({
      status: 'loaded',
      last_error: null,
      last_failed_at: null,
    });
  });

  test('is still to be read again after a replay of what was loaded before', async () => {
    const { database, simulator } = installation;
    refuse('tokens');
    await readOldAgain('tokens');
    const before = await sliceRow(database.pool, 'tokens', old);
    expect((await load(`replay --from ${old} --to ${old} --endpoints tokens`)).code).toBe(0);
    expect(await sliceRow(database.pool, 'tokens', old)).toMatchObject({
      status: 'loaded',
      last_error: before?.last_error,
      last_failed_at: before?.last_failed_at,
      fetched_at: before?.fetched_at,
    });

    fault = undefined;
    const since = simulator.requests.length;
    expect((await load(nightly)).code).toBe(0);
    expect(wasAsked('tokens', since)).toBe(true);
    expect(await sliceRow(database.pool, 'tokens', old)).toMatchObject({ last_error: null });
  });

  test('is held all the same: a backfill does not ask for it, and status does not miss it', async () => {
    refuse('activity');
    await readOldAgain('activity');
    expect((await load(`backfill --from ${from} --to ${to}`)).summary.slices.planned).toBe(0);
    const status = await commandInProcess(installation, `status --check --from ${from} --to ${to}`);
    expect(status).toMatchObject({ code: 0, json: { complete: true } });
  });
});

test('a slice of which nothing is held is failed, with its error, until it is loaded', async () => {
  let isBroken = true;
  await using installation = await install({
    users: 20,
    fault: ({ path }) =>
      isBroken && path.endsWith('/productivity') ? { kind: 'status', status: 500 } : undefined,
  });
  const { pool } = installation.database;
  await loadInProcess(installation, `backfill --from ${old} --to ${old}`);
  expect(await sliceRow(pool, 'productivity', old)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('500'),
  });
  const missed = await commandInProcess(installation, `status --check --from ${old} --to ${old}`);
  expect(missed).toMatchObject({ code: 1, json: { complete: false } });

  isBroken = false;
  expect((await loadInProcess(installation, nightly, { environment: { LOOKBACK_DAYS: '0' } })).code).toBe(0);
  expect(await sliceRow(pool, 'productivity', old)).toMatchObject({
    status: 'loaded',
    error: null,
    last_error: null,
    last_failed_at: null,
  });
});
