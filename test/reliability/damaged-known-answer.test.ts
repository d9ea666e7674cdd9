import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import type { SimulatedRequest } from '../../src/simulator/server.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { type Installation, install } from '../support/installation.ts';
import { factRows, sliceRow } from '../support/ledger-rows.ts';
import { changeRows } from '../support/quirky-payloads.ts';
import { bounds } from '../support/tiny-bounds.ts';
import { expectWarehouseEqualsPayloads } from './database-condition.ts';

const range = { from: '2026-01-19', to: '2026-01-21' };
const nightly = `nightly --date ${range.to}`;

/** Replaces the next occurrence of `found` after the middle of a body. */
const inTheMiddle =
  (found: string, replacement: string): ((body: Buffer) => Buffer) =>
  (body) => {
    const at = body.indexOf(found, Math.floor(body.length / 2));
    return Buffer.concat([body.subarray(0, at), Buffer.from(replacement), body.subarray(at + found.length)]);
  };

/** Each is sent once, for an answer that the ledger knows; all but the last two end as the right answer does. */
const damages: [string, Fault][] = [
  ['with a colon lost in the middle', { kind: 'rewrite', rewrite: inTheMiddle('":', '" ') }],
  ['with a quote lost in the middle', { kind: 'rewrite', rewrite: inTheMiddle('":', ':') }],
  ['with a bracket too many in the middle', { kind: 'rewrite', rewrite: inTheMiddle('},', '}},') }],
  ['with a NUL for a quote', { kind: 'rewrite', rewrite: inTheMiddle('",', '\0,') }],
  ['whose body ends in the middle', { kind: 'garbage' }],
  ['whose connection ends in the middle', { kind: 'truncate' }],
];

describe.each(bounds)('a known answer %s that nightly gets', (_where, sizes) => {
  let installation: Installation;
  let fault: ((request: SimulatedRequest) => Fault | undefined) | undefined;
  const environment = { PAGE_SIZE: '30', ...sizes, MAX_RETRIES: '2', LOOKBACK_DAYS: '2' };

  beforeAll(async () => {
    installation = await install({ users: 300, fault: (request) => fault?.(request) });
    const { code } = await loadInProcess(installation, `backfill --from ${range.from} --to ${range.to}`, {
      environment,
    });
    expect(code).toBe(0);
  });

  afterAll(() => installation[Symbol.asyncDispose]());

  /** Spoils the first answer for the last day from an endpoint; the second page, where there are pages. */
  function spoilOnce(endpoint: string, damage: Fault): { times: number } {
    const spoiled = { times: 0 };
    fault = ({ path, days, query }) => {
      const isMeant = path.endsWith(`/${endpoint}`) && days?.to === range.to;
      const isSecondPage = endpoint !== 'users' || query.cursor !== undefined;
      if (!isMeant || !isSecondPage || spoiled.times > 0) return undefined;
      spoiled.times += 1;
      return damage;
    };
    return spoiled;
  }

  describe.each(['users', 'tokens'])('from /%s', (endpoint) => {
    test.each(damages)('%s is asked for again, and nothing changes', async (_what, damage) => {
      const { pool } = installation.database;
      const before = await factRows(pool);
      const spoiled = spoilOnce(endpoint, damage);
      const { code, summary } = await loadInProcess(installation, nightly, { environment });
      expect(spoiled.times).toBe(1);
      expect({ code, status: summary.status, slices: summary.slices }).toMatchObject({
        code: 0,
        status: 'succeeded',
        slices: { planned: 15, loaded: 0, failed: 0 },
      });
      expect(await factRows(pool)).toEqual(before);
      expect(await sliceRow(pool, endpoint, range.to)).toMatchObject({ status: 'loaded', error: null });
    });

    test('and that the platform has restated since is asked for again and loaded', async () => {
      changeRows(installation.dataset, endpoint, range.to, (row) => ({ ...row, billable_tokens: 0.25 }));
      spoilOnce(endpoint, { kind: 'rewrite', rewrite: inTheMiddle('":', '" ') });
      const { code, summary } = await loadInProcess(installation, nightly, { environment });
      expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { loaded: 1, failed: 0 } });
      await expectWarehouseEqualsPayloads(installation, range);
    });
  });
});
