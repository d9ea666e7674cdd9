/** A platform and a program on a day of the calendar that a test chooses. */
import type { Day } from '../../src/model/day.ts';
import type { SimulatorOptions } from '../../src/simulator/server.ts';
import { loadInProcess } from './commands-in-process.ts';
import { install } from './installation.ts';

/** Sets up platform and program; `calendar.today` may be changed between commands. */
export async function installOn(today: Day, fault?: SimulatorOptions['fault']) {
  const calendar = { today };
  const clock = () => Date.parse(`${calendar.today}T12:00:00Z`);
  const installation = await install({ users: 20, clock, ...(fault === undefined ? {} : { fault }) });
  const environment = { LOOKBACK_DAYS: '0' };

  /** Runs a command line on the calendar's day, and writes this day into the ledger row of the run. */
  async function load(commandLine: string) {
    const loaded = await loadInProcess(installation, commandLine, { clock, environment });
    await installation.database.pool.query(
      'update etl.run set started_at = $2, finished_at = $2 where run_id = $1',
      [loaded.summary.run_id, new Date(clock()).toISOString()],
    );
    return loaded;
  }
  return {
    ...installation,
    calendar,
    load,
    [Symbol.asyncDispose]: () => installation[Symbol.asyncDispose](),
  };
}
