/**
 * Measures what one organization costs in a warehouse of many, and what all of them cost where all are asked for. The same
 * is measured where the organization is alone.
 */
import { systemClock } from '../src/model/clock.ts';
import { addDays, yesterday } from '../src/model/day.ts';
import { createSanitizer } from '../src/model/sanitize.ts';
import { openMonitor } from '../src/pipeline/monitor/open-monitor.ts';
import { makeReport } from '../src/pipeline/report/make-report.ts';
import { openPool } from '../src/warehouse/connection/connection.ts';
import { renewCreditSums } from '../src/warehouse/sums/credit-sums.ts';
import { type BenchContext, timed } from './context.ts';
import { type Figure, median } from './figures.ts';
import { fillOrganizations, type OrganizationsSize, organizationSizes } from './many-organizations.ts';
import { type BenchPlatform, startPlatform } from './platform.ts';
import { backfill, nightly, type Ran, runEtl } from './program.ts';
import { askOfOne } from './questions.ts';
import type { BenchWarehouse } from './server.ts';

const rounds = 3;
const mebibyte = 1024 ** 2;
/** Days of the organization that the program loads itself. */
const loadedDays = 14;

/** Figures beside many organizations, then those of one alone. */
export async function measureScale(context: BenchContext): Promise<Figure[]> {
  const { quick, isSmall } = context;
  const size = organizationSizes[quick ? 'quick' : isSmall ? 'small' : 'full'];
  const many = await measureOne(context, size, `${size.organizations.toLocaleString('en')} organizations`);
  const alone = await measureOne(context, { ...size, organizations: 1 }, 'one organization');
  return [...many, ...alone];
}

async function measureOne(
  { server, say, directory }: BenchContext,
  size: OrganizationsSize,
  beside: string,
): Promise<Figure[]> {
  await using warehouse = await server.createWarehouse();
  await using platform = await startPlatform({ users: size.usersOfEach });
  const tell = (text: string) => say(`scale, ${beside}: ${text}`);
  tell('making organizations');
  await warehouse.session((client) => fillOrganizations(client, size, tell));
  tell(`credits are summed by team: ${Math.round(await sumAll(warehouse, size))} ms`);
  await warehouse.query('vacuum analyze');
  const [counted] = await warehouse.query('select count(*) as user_days from warehouse.fact_user_daily');
  const note = `beside ${Number(counted?.user_days).toLocaleString('en')} user-days`;
  const figures: Figure[] = [];
  const figure = (name: string, value: number, unit: string, must: number, more = note) => {
    tell(`${name}: ${value.toFixed(2)} ${unit}`);
    figures.push({
      part: 'scale',
      name: `${name}, ${beside}`,
      value,
      unit,
      target: { of: 'value', better: 'lower', must, aim: must / 2 },
      note: more,
    });
  };
  const to = yesterday(systemClock);
  const days = { from: addDays(to, 1 - loadedDays), to };
  await backfill(platform, warehouse, { days });
  const environment = environmentOf(platform, warehouse, directory);

  figure(
    'verify of 7 days',
    await secondsOf(['verify', '--from', addDays(to, -6), '--to', to], environment),
    's',
    2,
  );
  figure(
    'unchanged night',
    await nightSeconds(platform, warehouse),
    's',
    0.5,
    `${note}; without the start of the program`,
  );
  const status = await ranOf(['status', '--json'], environment);
  figure('status', median(status.map(({ ms }) => ms)) / 1000, 's', 1);
  figure('memory of status', Math.max(...status.map(({ peakBytes }) => peakBytes)) / mebibyte, 'MiB', 150);
  figure('doctor', await secondsOf(['doctor', '--json'], environment), 's', 5);
  const organization = `org_${String(Math.ceil(size.organizations / 2)).padStart(5, '0')}`;
  figure(
    'report of one',
    await reportSeconds(warehouse, organization, size),
    's',
    3,
    `${note}; without the start of the program`,
  );
  const asked = await warehouse.session((client) => askOfOne(client, Math.min(90, size.days), organization));
  const [slowest] = asked.toSorted((a, b) => b.ms - a.ms);
  figure(
    `slowest of ${asked.length} questions`,
    (slowest?.ms ?? Number.NaN) / 1000,
    's',
    1,
    `${note}; ${slowest?.question}`,
  );
  const { seconds, bytes } = await metricsOf(warehouse);
  figure('/metrics', seconds, 's', 0.3);
  figure('size of /metrics', bytes / mebibyte, 'MiB', 2);
  const user = `user_${Math.ceil(size.organizations / 2)}_1`;
  const forgotten = await timed(() => runEtl(['forget-user', user, '--yes', '--json'], environment));
  figure('forget-user', forgotten.ms / 1000, 's', 60);
  return figures;
}

/** Milliseconds. */
async function sumAll(warehouse: BenchWarehouse, { organizations }: OrganizationsSize): Promise<number> {
  const pool = openPool(warehouse.url, 1);
  try {
    const { ms } = await timed(async () => {
      for (let orgKey = 1; orgKey <= organizations; orgKey += 1)
        await renewCreditSums(pool, orgKey, new AbortController().signal);
    });
    return ms;
  } finally {
    await pool.end();
  }
}

function environmentOf(
  platform: BenchPlatform,
  warehouse: BenchWarehouse,
  directory: string,
): Readonly<Record<string, string>> {
  return {
    API_BASE_URL: platform.url,
    API_KEY: platform.apiKey,
    DATABASE_URL: warehouse.url,
    DATA_DIR: directory,
    REQUESTS_PER_SECOND: '10000',
  };
}

async function ranOf(
  commandLine: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ran[]> {
  const ran: Ran[] = [];
  for (let round = 0; round < rounds; round += 1) ran.push(await runEtl(commandLine, environment));
  return ran;
}

async function secondsOf(
  commandLine: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  return median((await ranOf(commandLine, environment)).map(({ ms }) => ms)) / 1000;
}

/** Of a night that reads four days again, of which nothing has changed. */
async function nightSeconds(platform: BenchPlatform, warehouse: BenchWarehouse): Promise<number> {
  const to = yesterday(systemClock);
  const seconds: number[] = [];
  // The first one sums what the backfill has loaded.
  for (let round = 0; round <= rounds; round += 1) {
    const { summary } = await nightly(platform, warehouse, { days: { from: addDays(to, -3), to } });
    if (round > 0) seconds.push(summary.duration_ms / 1000);
  }
  return median(seconds);
}

async function reportSeconds(
  warehouse: BenchWarehouse,
  organization: string,
  { days }: OrganizationsSize,
): Promise<number> {
  const pool = openPool(warehouse.url, 1);
  const to = yesterday(systemClock);
  const range = { from: addDays(to, -Math.min(90, days)), to };
  const redact = createSanitizer([]);
  const seconds: number[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const made = { range, withPeople: false, clock: systemClock, redact, organizations: [organization] };
      seconds.push((await timed(() => makeReport(pool, made))).ms / 1000);
    }
    return median(seconds);
  } finally {
    await pool.end();
  }
}

async function metricsOf(warehouse: BenchWarehouse): Promise<{ seconds: number; bytes: number }> {
  const monitor = await openMonitor({
    port: 0,
    host: '127.0.0.1',
    clock: systemClock,
    sanitize: (text) => text,
    settings: () => ({ databaseUrl: warehouse.url, statusGraceHours: 6, metricsOrganizations: 100 }),
    nextDue: (afterMs) => afterMs + 60_000,
    usesQueue: false,
  });
  try {
    const seconds: number[] = [];
    let bytes = 0;
    for (let round = 0; round <= rounds; round += 1) {
      const { ms, result } = await timed(async () => (await fetch(`${monitor.url}/metrics`)).text());
      // The first one connects.
      if (round > 0) seconds.push(ms / 1000);
      bytes = Buffer.byteLength(result);
    }
    return { seconds: median(seconds), bytes };
  } finally {
    await monitor.close();
  }
}
