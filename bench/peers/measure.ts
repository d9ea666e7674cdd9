/**
 * Measures in rounds. In a round every program loads the same data twice. Each round begins with another program.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DayRange } from '../../src/model/day.ts';
import type { BenchPlatform } from '../platform.ts';
import { backfill, nightly, run } from '../program.ts';
import type { BenchServer, BenchWarehouse } from '../server.ts';
import { type DayTotals, firstDifference, totalsInDatabase } from './check.ts';
import type { Contestant } from './contestants.ts';

/** A program that is measured. */
export interface Entrant {
  readonly contestant: Contestant;
  /** The folder of its Python environment; undefined for this program. */
  readonly environment: string | undefined;
}

/** Seconds of the first and the second load in each round, and a failure, after which the program is not measured. */
export interface Times {
  readonly first: readonly number[];
  readonly again: readonly number[];
  readonly failure?: string;
}

/** What is the same for all programs. */
export interface Setting {
  readonly server: BenchServer;
  readonly platform: BenchPlatform;
  readonly days: DayRange;
  readonly expected: readonly DayTotals[];
  /** Time limit of a load. */
  readonly limitSeconds: number;
  readonly say: (text: string) => void;
}

/** Variables that switch off telemetry: without internet access it would wait for its hosts. */
const withoutTelemetry = {
  DO_NOT_TRACK: '1',
  RUNTIME__DLTHUB_TELEMETRY: 'false',
  SLING_DISABLE_TELEMETRY: 'true',
  AIRBYTE_OFFLINE_MODE: '1',
};

/** Measures all programs. */
export async function measureAll(
  setting: Setting,
  entrants: readonly Entrant[],
  rounds: number,
): Promise<Times[]> {
  const times: Times[] = entrants.map(() => ({ first: [], again: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < entrants.length; turn += 1) {
      const index = (round + turn) % entrants.length;
      const [entrant, before] = [entrants[index], times[index]];
      if (entrant === undefined || before === undefined || before.failure !== undefined) continue;
      times[index] = await withRound(setting, entrant, before);
      const { program, settings } = entrant.contestant;
      const { first, again, failure } = times[index];
      setting.say(
        `round ${round + 1}, ${program}, ${settings}: ${failure ?? `${first.at(-1)} s, ${again.at(-1)} s`}`,
      );
    }
  }
  return times;
}

async function withRound(setting: Setting, entrant: Entrant, before: Times): Promise<Times> {
  await using warehouse = await setting.server.createWarehouse();
  // A home folder for what the program keeps between its two loads, and for what it leaves behind.
  const home = await mkdtemp(join(tmpdir(), 'usage-etl-peer-'));
  try {
    const first = await checkedLoad(setting, entrant, { warehouse, home, isFirst: true });
    const again = await checkedLoad(setting, entrant, { warehouse, home, isFirst: false });
    return { first: [...before.first, first], again: [...before.again, again] };
  } catch (error) {
    return { ...before, failure: error instanceof Error ? error.message : String(error) };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

interface Load {
  readonly warehouse: BenchWarehouse;
  readonly home: string;
  readonly isFirst: boolean;
}

/** Seconds of a load. Throws when it fails, takes too long, or loads something else than the platform serves. */
async function checkedLoad(setting: Setting, entrant: Entrant, load: Load): Promise<number> {
  const { ms } = await runLoad(setting, entrant, load);
  const found = await totalsInDatabase(load.warehouse, entrant.contestant);
  const difference = firstDifference(setting.expected, found);
  if (difference !== undefined)
    throw new Error(`loaded something else than the platform serves: ${difference}`);
  return Math.round(ms / 100) / 10;
}

async function runLoad(
  { platform, days, limitSeconds }: Setting,
  { contestant: { peer }, environment }: Entrant,
  { warehouse, home, isFirst }: Load,
): Promise<{ readonly ms: number }> {
  if (peer === undefined || environment === undefined)
    return (isFirst ? backfill : nightly)(platform, warehouse, { days, endpoints: ['users'] });
  const start = performance.now();
  try {
    return await run('timeout', ['--kill-after=10', String(limitSeconds), ...peer.command(environment)], {
      ...withoutTelemetry,
      HOME: home,
      TMPDIR: home,
      AIRBYTE_LOGGING_ROOT: home,
      API_BASE_URL: platform.url,
      API_KEY: platform.apiKey,
      DATABASE_URL: warehouse.url,
      FIRST_DAY: days.from,
      LAST_DAY: days.to,
    });
  } catch (error) {
    if (performance.now() - start < limitSeconds * 1000) throw error;
    throw new Error(`took longer than ${limitSeconds} s`);
  }
}
