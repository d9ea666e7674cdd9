import pg from 'pg';
import { expect, test } from 'vitest';
import { watchDatabase } from '../../../src/pipeline/monitor/database-watch.ts';
import { ownNamesOnly } from '../../../tools/search-path.ts';
import { createTestDatabase } from '../../support/database.ts';

test('a ledger that somebody has locked keeps nobody from hearing that the database answers', async () => {
  const database = await createTestDatabase();
  const holder = new pg.Client({ ...ownNamesOnly, connectionString: database.url });
  await holder.connect();
  await holder.query('begin; lock table etl.slice in access exclusive mode');
  const watch = watchDatabase(() => ({
    databaseUrl: database.url,
    statusGraceHours: 6,
    metricsOrganizations: 100,
  }));
  const standings = [watch.standing(), watch.standing()].map((each) => each.then(() => 'standing'));
  expect(await Promise.race([...standings, watch.problem()])).toBeUndefined();
  expect(await watch.standing()).toBeUndefined();
  await watch.close();
  await holder.end();
  await database.drop();
});
