/** Runs programs to their end, with the time and the memory that they take. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type DayRange, daysBetween } from '../src/model/day.ts';
import { analyticsEndpoints } from '../src/simulator/rows.ts';
import type { BenchPlatform } from './platform.ts';
import type { BenchWarehouse } from './server.ts';

/** A program that ended well. */
export interface Ran {
  /** From before its start until after its end. */
  readonly ms: number;
  readonly stdout: string;
  /** Most memory resident at any time; NaN where the system does not tell. */
  readonly peakBytes: number;
}

/** How often the memory of a process is looked up; the system keeps the peak, only the last moment can be missed. */
const samplingMs = 10;
/** Requests under way at once, as many as the program has by default; the floor has the same. */
export const maxConcurrency = 4;
/** What `npm run build` made, started as a package is. */
const program = fileURLToPath(new URL('../dist/jobs/usage-etl.cjs', import.meta.url));

/** Runs a program with nothing in its environment but `environment` and what Node needs. Throws when it fails. */
export async function run(
  command: string,
  commandLine: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const start = performance.now();
  // Elsewhere than the checkout, where a developer's .env would be read.
  const child = spawn(command, commandLine, {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? tmpdir(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-4_000);
  });
  let peakBytes = Number.NaN;
  const sampling = setInterval(() => {
    peakBytes = peakMemoryOf(child.pid) ?? peakBytes;
  }, samplingMs);
  try {
    await once(child, 'close');
  } finally {
    clearInterval(sampling);
  }
  const ms = performance.now() - start;
  if (child.exitCode !== 0)
    throw new Error(
      `expected ${command} ${commandLine.join(' ')} to succeed, it ended with ${child.exitCode}:\n${stderr}`,
    );
  return { ms, stdout, peakBytes };
}

/** `VmHWM` of Linux. */
function peakMemoryOf(pid: number | undefined): number | undefined {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Runs one command of the usage ETL, as it is built. */
export function runEtl(
  commandLine: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ran> {
  return run(program, commandLine, environment);
}

const summary = z.object({
  status: z.literal('succeeded'),
  slices: z.object({ planned: z.number(), loaded: z.number(), unchanged: z.number() }),
  rows: z.object({ inserted: z.number(), updated: z.number() }),
  duration_ms: z.number(),
});

/** A run that succeeded. */
export interface Loaded extends Ran {
  readonly summary: z.infer<typeof summary>;
}

/** What a run reads, and how. */
export interface Reading {
  readonly days: DayRange;
  /** Default: the five daily ones. */
  readonly endpoints?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs the real program: a first load of `days`, with a rate budget that is as large as it can be. */
export function backfill(
  platform: BenchPlatform,
  warehouse: BenchWarehouse,
  reading: Reading,
): Promise<Loaded> {
  const { from, to } = reading.days;
  return load(['backfill', '--from', from, '--to', to], platform, warehouse, reading);
}

/** Runs the real program: reads `days`, which are loaded, once more, as a night with a long lookback does. */
export function nightly(
  platform: BenchPlatform,
  warehouse: BenchWarehouse,
  reading: Reading,
): Promise<Loaded> {
  const { from, to } = reading.days;
  const environment = { ...reading.environment, LOOKBACK_DAYS: String(daysBetween(from, to)) };
  return load(['nightly', '--date', to], platform, warehouse, { ...reading, environment });
}

async function load(
  command: readonly string[],
  platform: BenchPlatform,
  warehouse: BenchWarehouse,
  { endpoints = analyticsEndpoints, environment = {} }: Reading,
): Promise<Loaded> {
  const ran = await runEtl([...command, '--json', '--endpoints', endpoints.join(',')], {
    API_BASE_URL: platform.url,
    API_KEY: platform.apiKey,
    DATABASE_URL: warehouse.url,
    REQUESTS_PER_SECOND: '10000',
    MAX_CONCURRENCY: String(maxConcurrency),
    ...environment,
  });
  return { ...ran, summary: summary.parse(JSON.parse(ran.stdout)) };
}

/** Rows of `/users` that the warehouse holds: the size that every figure is per. */
export async function countUserDays(warehouse: BenchWarehouse): Promise<number> {
  const [row] = await warehouse.query('select count(*) as count from warehouse.fact_user_daily');
  return Number(row?.count);
}
