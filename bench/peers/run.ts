/**
 * `npm run bench:peers`: loads the same user-days from the same platform into the same Postgres with this program and
 * others, twice each, in rounds. A time counts only if the loaded rows are those of the platform. Writes
 * `bench/results/peers.json` and the table of `docs/comparison.md`, unless a program was left out or sizes are small.
 * When an installed program fails, it writes nothing and exits with 1.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Big from 'big.js';
import { daysOf } from '../../src/model/day.ts';
import { withTable } from '../../tools/document-table.ts';
import { daysFrom } from '../context.ts';
import { describeMachine } from '../machine.ts';
import { startPlatform } from '../platform.ts';
import { startBenchServer } from '../server.ts';
import { sizes } from '../sizes.ts';
import { type DayTotals, totalsOfPlatform } from './check.ts';
import { contestants, versionsOf } from './contestants.ts';
import { installPeer } from './environments.ts';
import { type Entrant, measureAll } from './measure.ts';
import { comparisonTable, type PeerResults } from './results.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const resultsFile = join(root, 'bench/results/peers.json');
const documentFile = join(root, 'docs/comparison.md');

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    // Time limit of a load in seconds.
    limit: { type: 'string', default: '300' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    note: { type: 'string' },
  },
});
const limitSeconds = Number(values.limit);
const say = (text: string) => process.stderr.write(`bench:peers: ${text}\n`);

const leftOut: string[] = [];
const entrants = await install();
const results = await measure();
const table = comparisonTable(results);
process.stdout.write(`${table}\n`);
for (const text of leftOut) say(`!!! NOT MEASURED: ${text}`);
if (results.programs.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
else if (leftOut.length === 0 && !values.quick && values.only === undefined) {
  await writeFile(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(
    documentFile,
    withTable(await readFile(documentFile, 'utf8'), 'npm run bench:peers', table),
  );
  say(`written to ${resultsFile} and ${documentFile}`);
}

/** Installs the selected programs and returns those that could be installed. */
async function install(): Promise<Entrant[]> {
  const wanted = contestants.filter(({ program }) => values.only?.split(',').includes(program) ?? true);
  const entrants: Entrant[] = [];
  for (const contestant of wanted) {
    const { program, settings, peer } = contestant;
    say(`${program}, ${settings}: ${await versionsOf(contestant)}`);
    try {
      entrants.push({ contestant, environment: peer && (await installPeer(peer)) });
    } catch (error) {
      leftOut.push(`${program}, ${settings}: it could not be installed: ${error}`);
      say(`!!! LEFT OUT: ${leftOut.at(-1)}`);
    }
  }
  return entrants;
}

async function measure(): Promise<PeerResults> {
  const {
    users,
    from,
    days: dayCount,
  } = sizes['days-of-2000']?.[values.quick ? 'quick' : 'full'] ?? missing();
  const days = daysFrom(from, dayCount);
  const server = await startBenchServer(say);
  try {
    await using platform = await startPlatform({ users });
    // This also fills the platform's cache of answers, so that the first program does not wait for it.
    const expected = await totalsOfPlatform(platform, days);
    const setting = { server, platform, days, expected, limitSeconds, say };
    const times = await server.withSetting('autovacuum', 'off', () =>
      measureAll(setting, entrants, Number(values.rounds)),
    );
    const programs = entrants.map(async ({ contestant }, index) => ({
      program: contestant.program,
      settings: contestant.settings,
      versions: await versionsOf(contestant),
      ...(times[index] ?? missing()),
    }));
    return {
      machine: describeMachine(server.version),
      ...(values.note === undefined ? {} : { note: values.note }),
      data: { days: daysOf(days).length, ...sumOf(expected) },
      limitSeconds,
      programs: await Promise.all(programs),
    };
  } finally {
    await server.stop();
  }
}

function sumOf(totals: readonly DayTotals[]) {
  const sum = (of: (totals: DayTotals) => Big.BigSource) =>
    totals.reduce((total, day) => total.plus(of(day)), new Big(0));
  return {
    userDays: sum(({ rows }) => rows).toNumber(),
    sessions: sum(({ sessions }) => sessions).toFixed(),
    credits: sum(({ credits }) => credits).toFixed(),
  };
}

function missing(): never {
  throw new RangeError('expected a size and times for each program');
}
