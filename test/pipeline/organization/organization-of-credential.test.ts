import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PlatformClient } from '../../../src/extract/platform-client.ts';
import { CredentialsRefusedError } from '../../../src/model/errors.ts';
import { organizationOfCredential } from '../../../src/pipeline/organization/organization-of-credential.ts';
import { organizationProbes } from '../../../src/sources/registry.ts';
import { openPool, withSession } from '../../../src/warehouse/connection/connection.ts';
import { organizationKey } from '../../../src/warehouse/ledger/organization.ts';
import { type AnsweringServer, sendJson, startAnsweringServer } from '../../support/answering-server.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { openClient } from '../../support/platform-access.ts';

const clock = () => Date.parse('2026-03-11T00:30:00Z');

let database: TestDatabase;
let pool: pg.Pool;
let server: AnsweringServer;
let client: PlatformClient;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, 1);
});

afterEach(async () => {
  await client.close();
  await server.close();
  await pool.end();
  await database.drop();
});

/** The organization of a credential that analytics answers with `status`, where the warehouse holds `known`. */
async function find(status: number, known: readonly string[]): Promise<string> {
  server = await startAnsweringServer((response) => {
    const meta = { org_id: 'org_named', start_date: '2026-03-10', end_date: '2026-03-10' };
    sendJson(response, status === 200 ? { data: [], meta } : { title: 'no' }, status);
  });
  client = openClient(server.url, { maxRetries: 0 });
  return withSession(pool, async ({ db }) => {
    for (const organizationId of known) await organizationKey(db, organizationId);
    return organizationOfCredential(db, { client, probes: organizationProbes, clock, onEvent: () => {} });
  });
}

describe('the organization of a credential', () => {
  test('is the one that analytics names', async () => {
    expect(await find(200, ['org_other'])).toBe('org_named');
  });

  test('is the only one of the warehouse where the credential may not read analytics', async () => {
    expect(await find(403, ['org_only'])).toBe('org_only');
  });

  test.each([[[]], [['org_1', 'org_2']]])(
    'is refused where the warehouse holds %j instead of one',
    async (known) => {
      await expect(find(403, known)).rejects.toThrow(
        `the warehouse holds ${known.length} organizations instead of one`,
      );
    },
  );

  test('is not guessed for a credential that nobody knows', async () => {
    await expect(find(401, ['org_only'])).rejects.toBeInstanceOf(CredentialsRefusedError);
  });
});
