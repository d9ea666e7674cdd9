/** Runs programs and measures their time and memory. */
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

/** The result of a program that succeeded. */
export interface Ran {
  /** Milliseconds from the start of the program to its end. */
  readonly ms: number;
  readonly stdout: string;
  /** Peak resident memory; NaN when the system does not report it. */
  readonly peakBytes: number;
}

/**
 * Milliseconds between two readings of a process's memory. The system keeps the peak, so only a peak right before the end
 * can be missed.
 */
const samplingMs = 10;
/** Concurrent requests of the program (its default) and of the floor. */
export const maxConcurrency = 4;
/** The result of `npm run build`. */
export const program = fileURLToPath(new URL('../dist/jobs/usage-etl.cjs', import.meta.url));

/** Runs a program with only `environment` and the variables that Node needs. Throws when it fails. */
export async function run(
  command: string,
  commandLine: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const start = performance.now();
  // The program runs outside of the checkout, so that it does not read a developer's .env.
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

/** The peak memory of a process in bytes (`VmHWM` of Linux); undefined when the system does not report it. */
function peakMemoryOf(pid: number | undefined): number | undefined {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}

/** Runs one command of the built program. */
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

/** The range and the options of a run. */
export interface Reading {
  readonly days: DayRange;
  /** Names of the endpoints; default: the five daily ones. */
  readonly endpoints?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a `backfill` of `days` with the largest rate budget. */
export function backfill(
  platform: BenchPlatform,
  warehouse: BenchWarehouse,
  reading: Reading,
): Promise<Loaded> {
  const { from, to } = reading.days;
  return load(['backfill', '--from', from, '--to', to], platform, warehouse, reading);
}

/** Runs a `nightly` that reads the loaded `days` again, as with a long lookback. */
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

/** Number of user-days (`/users` rows) in the warehouse, the unit to which other figures relate. */
export async function countUserDays(warehouse: BenchWarehouse): Promise<number> {
  const [row] = await warehouse.query('select count(*) as count from warehouse.fact_user_daily');
  return Number(row?.count);
}
