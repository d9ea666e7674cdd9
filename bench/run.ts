/**
 * `npm run bench`: measures the program against floors that are measured in the same run.
 * Prints a table, and writes the same as JSON into `bench/results/`.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Part } from './context.ts';
import type { Figure } from './figures.ts';
import { describeMachine } from './machine.ts';
import { reportJson, reportTable } from './report.ts';
import { startBenchServer } from './server.ts';

/** Parts are loaded when they are asked for. */
const parts: Readonly<Record<string, () => Promise<Part>>> = {
  load: async () => (await import('./load.ts')).measureLoad,
  'end-to-end': async () => (await import('./end-to-end.ts')).measureEndToEnd,
  schedule: async () => (await import('./schedule.ts')).measureSchedule,
  memory: async () => (await import('./memory.ts')).measureMemory,
  growth: async () => (await import('./growth.ts')).measureGrowth,
  'write-cost': async () => (await import('./write-cost.ts')).measureWriteCost,
  'start-up': async () => (await import('./start-up.ts')).measureStartUp,
};

const resultsDirectory = fileURLToPath(new URL('./results', import.meta.url));
const usage = `usage: npm run bench -- [--only ${Object.keys(parts).join(',')}] [--quick] [--name <file name>]\n`;

const { values } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean', default: false }, name: { type: 'string' } },
});
const chosen = values.only?.split(',') ?? Object.keys(parts);
const unknown = chosen.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  process.stderr.write(`bench: there is no part ${unknown.join(', ')}\n${usage}`);
  process.exit(2);
}
await bench(chosen, values.quick, values.name ?? defaultName(chosen, values.quick));

/** What a run of some parts, or of small sizes, writes must not take the place of a whole one. */
function defaultName(names: readonly string[], quick: boolean): string {
  const which = names.length === Object.keys(parts).length ? 'all' : names.join('+');
  return quick ? `${which}-quick` : which;
}

async function bench(names: readonly string[], quick: boolean, resultName: string): Promise<void> {
  const say = (text: string) => process.stderr.write(`bench: ${text}\n`);
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-bench-files-'));
  const server = await startBenchServer(say);
  try {
    const figures: Figure[] = [];
    for (const name of names) {
      const part = await parts[name]?.();
      if (part !== undefined) figures.push(...(await part({ server, quick, directory, say })));
    }
    const machine = describeMachine(server.version);
    await mkdir(resultsDirectory, { recursive: true });
    const file = join(resultsDirectory, `${resultName}.json`);
    await writeFile(file, `${JSON.stringify(reportJson(machine, quick, figures), null, 2)}\n`);
    process.stdout.write(`${reportTable(machine, quick, figures)}\n`);
    say(`written to ${file}`);
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
