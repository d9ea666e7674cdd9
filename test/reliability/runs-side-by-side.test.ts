import { expect, test } from 'vitest';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { startHoldingProxy } from '../support/holding-proxy.ts';
import { install } from '../support/installation.ts';
import { runsByStatus } from './database-condition.ts';

const backfill = 'backfill --from 2026-01-19 --to 2026-01-19';
/** From its first send until it asks the platform, a run has opened its row of the ledger and taken its locks. */
const sendsLookedAt = 24;

test('a run that begins beside another never takes it for dead, at whichever of its steps the other is', async () => {
  await using installation = await install({ users: 5 });
  await using other = await install({ users: 5, organizationId: 'org_other' });
  const { pool, url } = installation.database;
  const proxy = await startHoldingProxy(url);
  const slow = { environment: { ...installation.environment, DATABASE_URL: proxy.url } };
  const beside = { environment: { ...other.environment, DATABASE_URL: url } };
  try {
    // Both have their day already: no transaction of the one that is held makes the other wait.
    await loadInProcess(installation, backfill);
    await loadInProcess(beside, backfill);
    let held = 0;
    for (let send = 1; send <= sendsLookedAt; send++) {
      const arrived = proxy.holdSend(send);
      const run = loadInProcess(slow, `${backfill} --force`);
      const isHeld = await Promise.race([arrived.then(() => true), run.then(() => false)]);
      if (isHeld) {
        held += 1;
        expect((await commandInProcess(beside, backfill)).code).toBe(0);
        const { failed } = await runsByStatus(pool);
        expect({ send, failed }).toEqual({ send, failed: undefined });
      }
      proxy.release();
      expect((await run).code).toBe(0);
    }
    expect(held).toBeGreaterThan(10);
    expect(Object.keys(await runsByStatus(pool))).toEqual(['succeeded']);
  } finally {
    await proxy.close();
  }
});
