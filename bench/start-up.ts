/** Measures the program when there is almost nothing to do. */
import type { BenchContext } from './context.ts';
import { type Figure, median } from './figures.ts';
import { run, runEtl } from './program.ts';

const rounds = 7;

/** `status` on an empty warehouse, from the start of the process to its end. */
export async function measureStartUp({ server, say }: BenchContext): Promise<Figure[]> {
  say('start-up: status of an empty warehouse');
  await using warehouse = await server.createWarehouse();
  const [status, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    bare.push((await run(process.execPath, ['-e', ''])).ms / 1000);
    status.push((await runEtl(['status'], { DATABASE_URL: warehouse.url })).ms / 1000);
  }
  return [
    {
      part: 'start-up',
      name: 'status, start to exit',
      value: median(status),
      unit: 's',
      floor: { what: 'bare Node', value: median(bare) },
      target: { of: 'value', better: 'lower', must: 0.7, aim: 0.4 },
      note: `median of ${rounds}, ${Math.min(...status).toFixed(2)} to ${Math.max(...status).toFixed(2)} s`,
    },
  ];
}
