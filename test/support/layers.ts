/** The layers in which the tests of a guarantee run, as docs/guarantees.md names them. */
import { layerOf } from '../layers.ts';

/** `.ci/full` runs these once more, with large counts. */
export const countedTests = [
  'database-loss',
  'kills',
  'limit-kills',
  'many-nights',
  'payload-fuzz',
  'platform-faults',
  'random-nights',
  'worker-troubles',
].map((name) => `reliability/${name}`);

/** The layers of tests that are named as `reliability/kills`, the quickest first. */
export function layersOf(tests: readonly string[]): string[] {
  const found = new Set(tests.map(layerOf));
  const layers = (['core', 'system', 'tools'] as const).filter((layer) => found.has(layer));
  return [...layers, ...(tests.some((test) => countedTests.includes(test)) ? ['full'] : [])];
}
