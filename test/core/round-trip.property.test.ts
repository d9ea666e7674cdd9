/** Any payload that the platform may send arrives in the warehouse as expected, and a second reading changes nothing. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { dailySources as sources } from '../../src/sources/registry.ts';
import { payloadRows } from '../support/arbitrary-payloads.ts';
import { expectedEmails, expectedWarehouse } from '../support/expected-warehouse.ts';
import { sampleDay } from '../support/samples.ts';
import { sharedSliceLoading } from '../support/slice-loading.ts';
import { storedEmails, storedWarehouse } from '../support/stored-warehouse.ts';

/** Each run loads two answers; fast-check prints the seed of a failure. */
const numRuns = 40;

/** All of an answer in one chunk, or each record in one of its own. */
const chunkBytes = fc.constantFrom(1, 4_000_000);

const loading = await sharedSliceLoading();

beforeEach(() => loading.clear());

describe.each(sources)('any answer of $name', ({ name: endpoint }) => {
  const rows = payloadRows[endpoint] ?? fc.constant([]);

  it('is in the warehouse as it was said, also over an earlier one', async () => {
    await fc.assert(
      fc
        .asyncProperty(rows, rows, chunkBytes, async (first, second, chunk) => {
          for (const said of [first, second]) {
            const stored = await loading.load(endpoint, said, { chunkBytes: chunk });
            expect(stored.rejected).toBe(0);
            expect(await storedWarehouse(loading.pool)).toEqual(
              expectedWarehouse('org_test', [{ endpoint, day: sampleDay, rows: said }]),
            );
          }
          const forced = { changes: { force: true }, chunkBytes: chunk };
          const again = await loading.load(endpoint, second, forced);
          expect(again).toMatchObject({ inserted: 0, updated: 0, deleted: 0 });
        })
        .beforeEach(() => loading.clear()),
      { numRuns },
    );
  });
});

it('any order of the endpoints leaves each user with the same e-mail', async () => {
  const rows = fc.record({
    tokens: payloadRows.tokens ?? fc.constant([]),
    users: payloadRows.users ?? fc.constant([]),
  });
  await fc.assert(
    fc
      .asyncProperty(rows, fc.boolean(), async (said, usersFirst) => {
        const order = usersFirst ? (['users', 'tokens'] as const) : (['tokens', 'users'] as const);
        for (const endpoint of order) await loading.loadText(endpoint, JSON.stringify(said[endpoint]));
        const expected = expectedEmails(
          order.map((endpoint) => ({ endpoint, day: sampleDay, rows: said[endpoint] })),
        );
        const emails = await storedEmails(loading.pool);
        for (const [userId, email] of Object.entries(expected))
          expect(emails[userId.toWellFormed().replaceAll('\0', '\uFFFD')], userId).toBe(email);
      })
      .beforeEach(() => loading.clear()),
    { numRuns: 20 },
  );
});
