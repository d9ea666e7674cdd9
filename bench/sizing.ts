/** Measures disk space per user-day, and requests and minutes of a night, for docs/operations.md. */
import { addDays, type DayRange, day, daysBetween } from '../src/model/day.ts';
import type { BenchContext } from './context.ts';
import type { Figure } from './figures.ts';
import { startPlatform } from './platform.ts';
import { backfill, countUserDays, nightly } from './program.ts';
import type { BenchWarehouse } from './server.ts';

const part = 'sizing';
const from = day('2026-03-02');

/** Data for disk space: many rows, so that the constant size of tables does not matter. */
const roomy = { full: { users: 30_000, days: 35 }, quick: { users: 300, days: 3 } };
/** Data for requests: about a thousand active users per day. */
const asked = { full: { users: 2_600, days: 28 }, quick: { users: 300, days: 7 } };
const defaultBudget = { REQUESTS_PER_SECOND: '10' };

/** Groups of relations whose size is summed: conditions on `pg_class` as `c` and `pg_namespace` as `n`. */
const rooms: readonly { readonly name: string; readonly size: string; readonly where: string }[] = [
  { name: 'tables of warehouse', size: 'pg_table_size(c.oid)', where: "n.nspname = 'warehouse'" },
  { name: 'their indexes', size: 'pg_indexes_size(c.oid)', where: "n.nspname = 'warehouse'" },
  { name: 'raw archive', size: 'pg_total_relation_size(c.oid)', where: "c.relname = 'raw_slice'" },
  {
    name: 'the rest of the ledger',
    size: 'pg_total_relation_size(c.oid)',
    where: "n.nspname = 'etl' and c.relname <> 'raw_slice'",
  },
];

/** Loads a large organization at full speed, and a smaller one within the default rate budget. */
export async function measureSizing(context: BenchContext): Promise<Figure[]> {
  return [...(await measureRoom(context)), ...(await measureRequests(context))];
}

function range({ days }: { readonly days: number }): DayRange {
  return { from, to: addDays(from, days - 1) };
}

async function measureRoom({ server, quick, say }: BenchContext): Promise<Figure[]> {
  const size = quick ? roomy.quick : roomy.full;
  await using platform = await startPlatform({ users: size.users });
  await using warehouse = await server.createWarehouse();
  say(`sizing: loading ${size.days} days of ${size.users} users`);
  const empty = await Promise.all(rooms.map((room) => bytesOf(warehouse, room)));
  await backfill(platform, warehouse, { days: range(size) });
  const userDays = await countUserDays(warehouse);
  const figures: Figure[] = [];
  for (const [index, room] of rooms.entries()) {
    const bytes = (await bytesOf(warehouse, room)) - (empty[index] ?? 0);
    figures.push({
      part,
      name: room.name,
      value: bytes / userDays,
      unit: 'MB per million user-days',
      note: `${userDays.toLocaleString('en')} user-days`,
    });
  }
  return figures;
}

async function bytesOf(
  warehouse: BenchWarehouse,
  { size, where }: { readonly size: string; readonly where: string },
): Promise<number> {
  const [row] = await warehouse.query(
    `select coalesce(sum(${size}), 0)::text as bytes from pg_class as c
     join pg_namespace as n on n.oid = c.relnamespace where c.relkind = 'r' and ${where}`,
  );
  return Number(row?.bytes);
}

async function measureRequests({ server, quick, say }: BenchContext): Promise<Figure[]> {
  const size = quick ? asked.quick : asked.full;
  await using platform = await startPlatform({ users: size.users });
  await using warehouse = await server.createWarehouse();
  const days = range(size);
  say(`sizing: loading ${size.days} days of ${size.users} users within the default rate budget`);
  const first = await backfill(platform, warehouse, { days, environment: defaultBudget });
  const firstRequests = (await platform.requests()).length;
  const active = (await countUserDays(warehouse)) / size.days;
  const to = addDays(days.to, 1);
  const night = await nightly(platform, warehouse, {
    days: { from: addDays(to, -3), to },
    environment: defaultBudget,
  });
  const nightRequests = (await platform.requests()).length;
  const note = `${size.users.toLocaleString('en')} users, ${Math.round(active).toLocaleString('en')} of them active on a day; ${daysBetween(days.from, days.to) + 1} days`;
  const per1000 = active / 1000;
  const figure = (name: string, value: number, unit: string): Figure => ({ part, name, value, unit, note });
  return [
    figure(
      'first load of 100 days',
      ((firstRequests / size.days) * 100) / per1000,
      'requests per 1,000 active users',
    ),
    figure(
      'time of that',
      ((first.ms / size.days) * 100) / per1000 / 60_000,
      'minutes per 1,000 active users',
    ),
    figure('night', nightRequests / per1000, 'requests per 1,000 active users'),
    figure('time of that night', night.ms / per1000 / 60_000, 'minutes per 1,000 active users'),
  ];
}
