/**
 * `npm run bench`: measures the program, and floors in the same run. Prints a table and writes it as JSON to
 * `bench/results/` (with small sizes only if `--name` is given). When a part fails, it writes nothing and exits with 1.
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
import { sizes } from './sizes.ts';

/** The parts by name. The file of a part is loaded when the part is measured. */
const parts: Readonly<Record<string, () => Promise<Part>>> = {
  ...Object.fromEntries(
    Object.entries(sizes).map(([name, size]) => [
      name,
      async () => (await import('./end-to-end.ts')).endToEnd(name, size),
    ]),
  ),
  schedule: async () => (await import('./schedule.ts')).measureSchedule,
  memory: async () => (await import('./memory.ts')).measureMemory,
  growth: async () => (await import('./growth.ts')).measureGrowth,
  'write-cost': async () => (await import('./write-cost.ts')).measureWriteCost,
  questions: async () => (await import('./questions.ts')).measureQuestions,
  verify: async () => (await import('./verify.ts')).measureVerify,
  scale: async () => (await import('./scale.ts')).measureScale,
  'scale-out': async () => (await import('./scale-out.ts')).measureScaleOut,
  sizing: async () => (await import('./sizing.ts')).measureSizing,
  'start-up': async () => (await import('./start-up.ts')).measureStartUp,
};

const resultsDirectory = fileURLToPath(new URL('./results', import.meta.url));
const usage = `usage: npm run bench -- [--only ${Object.keys(parts).join(',')}] [--quick] [--size small|full] [--name <file name>]\n`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    size: { type: 'string', default: 'full' },
    name: { type: 'string' },
  },
});
const names = Object.keys(parts);
/** `scale` also means parts such as `scale-out`. */
const chosen =
  values.only?.split(',').flatMap((name) => {
    const found = names.filter((each) => each === name || each.startsWith(`${name}-`));
    return found.length > 0 ? found : [name];
  }) ?? names;
const unknown = chosen.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  process.stderr.write(`bench: there is no part ${unknown.join(', ')}\n${usage}`);
  process.exit(2);
}
if (!['small', 'full'].includes(values.size)) {
  process.stderr.write(`bench: --size: expected small or full, got ${values.size}\n${usage}`);
  process.exit(2);
}
await bench(chosen, values.quick, values.name ?? defaultName(chosen, values.quick));

/** The default name of the results. That of some parts differs from that of all, so that these are not overwritten. */
function defaultName(names: readonly string[], quick: boolean): string | undefined {
  if (quick) return undefined;
  return names.length === Object.keys(parts).length ? 'all' : names.join('+');
}

async function bench(
  names: readonly string[],
  quick: boolean,
  resultName: string | undefined,
): Promise<void> {
  const say = (text: string) => process.stderr.write(`bench: ${text}\n`);
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-bench-files-'));
  const server = await startBenchServer(say);
  try {
    const figures: Figure[] = [];
    for (const name of names) {
      try {
        const part = await parts[name]?.();
        if (part !== undefined)
          figures.push(...(await part({ server, quick, isSmall: values.size === 'small', directory, say })));
      } catch (error) {
        // A part that fails does not stop the other parts.
        say(`${name} failed: ${error instanceof Error ? error.stack : error}`);
        process.exitCode = 1;
      }
    }
    const machine = describeMachine(server.version);
    process.stdout.write(`${reportTable(machine, quick, figures)}\n`);
    if (resultName === undefined || process.exitCode === 1) return;
    await mkdir(resultsDirectory, { recursive: true });
    const file = join(resultsDirectory, `${resultName}.json`);
    await writeFile(file, `${JSON.stringify(reportJson(machine, quick, figures), null, 2)}\n`);
    say(`written to ${file}`);
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
