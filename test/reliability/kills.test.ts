import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RandomStream } from '../../src/simulator/random.ts';
import { install } from '../support/installation.ts';
import type { Ended } from '../support/program.ts';
import { expectNoLockLeft, expectWarehouseEqualsPayloads, runsByStatus } from './database-condition.ts';
import { randomTest } from './random-test.ts';
import { restate } from './restatements.ts';

const range = { from: '2026-01-14', to: '2026-01-21' };
const settings = { PAGE_SIZE: '10', WINDOW_DAYS: '4' };
const backfill = `backfill --force --from ${range.from} --to ${range.to}`;
const kills = randomTest('USAGE_ETL_KILLS', { file: 'kills', count: 40, seed: 1, timeoutMs: 600_000 });
/** Two installations at once: while one starts the program, the other is in the middle of a load. */
const lanes = [0, 1];
/** The warehouse is looked at after so many kills. */
const killsPerRound = 10;

/** From before the first statement until after a small backfill has ended. */
const longestDelayMs = 1_200;
/** One in so many kills comes at a moment of the clock instead of a request: start-up is hit, too. */
const byClock = 4;

test.concurrent.for(lanes)(
  `${kills.count} kills at random moments cost nothing but time (lane %i of ${lanes.length})`,
  { timeout: kills.timeoutMs },
  async (lane, { onTestFailed }) => {
    onTestFailed(kills.tellHowToRepeat);
    const random = new RandomStream(kills.seed + lane);
    const goalOfLane = Math.ceil(kills.count / lanes.length);
    let killer: { atRequest: number; kill: () => void } | undefined;
    let sinceStart = 0;
    const fault = () => {
      sinceStart += 1;
      if (sinceStart === killer?.atRequest) killer.kill();
      return undefined;
    };
    await using installation = await install({ users: 25, fault });
    const { pool } = installation.database;
    /** A whole load is counted, so that kills spread over all of it. */
    let requestsOfLoad = 25;
    let [killed, survived, starts] = [0, 0, 0];

    const runOnce = async (withKill: boolean): Promise<Ended> => {
      starts += 1;
      sinceStart = 0;
      const { process: child, ended } = installation.start(backfill, settings);
      const stop = new AbortController();
      killer = undefined;
      if (withKill && random.between(1, byClock) === 1) {
        const wait = delay(random.between(0, longestDelayMs), undefined, { signal: stop.signal });
        wait.then(() => child.kill('SIGKILL')).catch(() => undefined);
      } else if (withKill) {
        // A little after the request, so that the statements that follow it are hit as well.
        const afterMs = random.between(0, 30);
        const kill = () => void setTimeout(() => child.kill('SIGKILL'), afterMs);
        killer = { atRequest: random.between(1, requestsOfLoad), kill };
      }
      const end = await ended;
      stop.abort();
      return end;
    };

    while (killed < goalOfLane) {
      restate(installation, range, random, 12);
      for (const goal = Math.min(goalOfLane, killed + killsPerRound); killed < goal; ) {
        const { code, stderr } = await runOnce(true);
        // One that meets the locks of a connection whose end the server has not noticed yet says so.
        if (code === null) killed += 1;
        else expect(code, stderr).toBeOneOf([0, 4]);
        survived += code === 0 ? 1 : 0;
        if (random.between(1, 3) === 1) restate(installation, range, random, 2);
      }
      await expectNoLockLeft(pool);
      const end = await runOnce(false);
      requestsOfLoad = sinceStart;
      expect(end).toMatchObject({ code: 0 });
      const { running, partial } = await runsByStatus(pool);
      expect({ running, partial }).toEqual({});
      await expectNoLockLeft(pool);
      await expectWarehouseEqualsPayloads(installation, range);
    }
    console.log(
      `lane ${lane}: ${killed} kills in ${starts} starts (${survived} ended before their kill), ` +
        `runs ${JSON.stringify(await runsByStatus(pool))}, none running, no lock, warehouse equal (seed ${kills.seed})`,
    );
  },
);
