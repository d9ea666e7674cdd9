import { expect, test } from 'vitest';
import { RandomStream } from '../../src/simulator/random.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { install } from '../support/installation.ts';
import { expectNoLockLeft, expectWarehouseEqualsPayloads, runsByStatus } from './database-condition.ts';
import { backfillInProcess } from './in-process-backfill.ts';
import { restate } from './restatements.ts';

const range = { from: '2026-01-14', to: '2026-01-14' };

test('a run succeeds at whichever of its sends to the database the connection breaks', async () => {
  await using installation = await install({ users: 5 });
  const { database, environment } = installation;
  const proxy = await startCuttingProxy(database.url);
  const random = new RandomStream(9);
  const run = () => {
    restate(installation, range, random, 3);
    return backfillInProcess({
      ...range,
      environment: { ...environment, DATABASE_URL: proxy.url },
      force: true,
    });
  };
  try {
    let cutAt = 0;
    do {
      cutAt += 1;
      // The server may notice later than the run ends that the connection with its locks is gone.
      await expectNoLockLeft(database.pool);
      proxy.cutAtSend(cutAt);
      const { summary, failures, stoppedBy } = await run();
      expect({ cutAt, status: summary.status, failures, stoppedBy }).toMatchObject({ status: 'succeeded' });
    } while (proxy.cuts === cutAt);
    expect(cutAt).toBeGreaterThan(50);
    await expectNoLockLeft(database.pool);
    expect((await runsByStatus(database.pool)).running).toBeUndefined();
    await expectWarehouseEqualsPayloads(installation, range);
    console.log(`${proxy.cuts} connections cut, each at another send; warehouse equal`);
  } finally {
    await proxy.close();
  }
}, 600_000);
