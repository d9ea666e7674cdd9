/** Measures what a load makes Postgres write: WAL (its log of changes), and dead versions of rows. */
import { z } from 'zod';
import { type BenchContext, firstDays } from './context.ts';
import type { Figure, Target } from './figures.ts';
import { startPlatform } from './platform.ts';
import { backfill, countUserDays, nightly } from './program.ts';
import type { BenchWarehouse } from './server.ts';
import { copyFloorName, copyTables, createFloorTables, dumpStar } from './write-floors.ts';

interface WriteCost {
  readonly walBytes: number;
  /** Dead row versions in facts and dimensions. */
  readonly deadFacts: number;
  /** Dead row versions in the ledger. */
  readonly deadLedger: number;
}

const restatedShare = 0.01;

/** WAL and dead row versions per 1,000 user-days, for a first load, an unchanged re-read, and one with 1 % changed rows. */
export function measureWriteCost(context: BenchContext): Promise<Figure[]> {
  // Autovacuum would add WAL at random, so it is off.
  return context.server.withSetting('autovacuum', 'off', () => measure(context));
}

async function measure({ server, quick, directory, say }: BenchContext): Promise<Figure[]> {
  await using platform = await startPlatform({ users: quick ? 400 : 6_000 });
  await using warehouse = await server.createWarehouse();
  const days = firstDays(quick ? 30 : 150);
  say('write-cost: first load');
  const first = await costOf(warehouse, () => backfill(platform, warehouse, { days }));
  const userDays = await countUserDays(warehouse);
  say('write-cost: unchanged re-read');
  const reRead = () => nightly(platform, warehouse, { days });
  const beforeVacuum = await costOf(warehouse, reRead);
  // Vacuum here: between two nights autovacuum would have done it.
  await warehouse.query('vacuum analyze');
  const unchanged = await costOf(warehouse, reRead);
  say('write-cost: 1 % restated');
  const restatedRows = await platform.restate(days, 1 / restatedShare);
  const restated = await costOf(warehouse, async () => {
    const { summary } = await reRead();
    if (summary.rows.updated !== restatedRows)
      throw new Error(`expected ${restatedRows} rows to be updated, got ${summary.rows.updated}`);
  });
  const dump = await dumpStar(warehouse, directory);
  await createFloorTables(warehouse, dump);
  const copied = await costOf(warehouse, () => copyTables(warehouse, dump));

  const per1000 = (count: number) => count / (userDays / 1000);
  const floor = { what: await copyFloorName(), value: per1000(copied.walBytes) / 1000 };
  const wal = (name: string, cost: WriteCost, target?: Target): Figure => ({
    part: 'write-cost',
    name: `WAL per 1,000 user-days, ${name}`,
    value: per1000(cost.walBytes) / 1000,
    unit: 'kB',
    floor,
    ...(target === undefined ? {} : { target }),
    note: `${userDays.toLocaleString('en')} user-days, ${(cost.walBytes / 1e6).toFixed(1)} MB`,
  });
  const dead = (name: string, cost: WriteCost): Figure => ({
    part: 'write-cost',
    name: `dead tuples per 1,000 user-days, ${name}`,
    value: per1000(cost.deadFacts + cost.deadLedger),
    unit: '',
    note: `${cost.deadFacts.toLocaleString('en')} in the star, ${cost.deadLedger.toLocaleString('en')} in the ledger`,
  });
  return [
    wal('first load', first),
    wal('unchanged re-read', unchanged, { of: 'value', better: 'lower', must: 5, aim: 1 }),
    wal('unchanged re-read before any vacuum', beforeVacuum),
    wal('1 % restated', restated),
    dead('first load', first),
    dead('unchanged re-read', unchanged),
    dead('1 % restated', restated),
  ];
}

/** What `work` writes. A checkpoint comes first, so that, as in every night, the first change of a page logs all of it. */
async function costOf(warehouse: BenchWarehouse, work: () => Promise<unknown>): Promise<WriteCost> {
  await warehouse.query('checkpoint');
  const before = await writtenSoFar(warehouse);
  await work();
  const after = await writtenSoFar(warehouse);
  return {
    walBytes: after.wal - before.wal,
    deadFacts: after.facts - before.facts,
    deadLedger: after.ledger - before.ledger,
  };
}

const written = z.object({ wal: z.coerce.number(), facts: z.coerce.number(), ledger: z.coerce.number() });

async function writtenSoFar(warehouse: BenchWarehouse): Promise<z.infer<typeof written>> {
  // A session reports its statistics when it ends, perhaps a moment after its client has disconnected.
  for (let others = 1; others > 0; ) {
    const [row] = await warehouse.query(
      `select count(*) as others from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
    others = Number(row?.others);
  }
  const [row] = await warehouse.query(
    `select
       pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal,
       sum(n_tup_upd + n_tup_del) filter (where schemaname = 'warehouse') as facts,
       sum(n_tup_upd + n_tup_del) filter (where schemaname = 'etl') as ledger
     from pg_stat_user_tables`,
  );
  return written.parse(row);
}
