/** Which tests run when. A file belongs to the layer that has its folder; some files run once more in `.ci/full`. */

/** The folders of `test/` in each layer; `.` are the files beside them. */
export const layers = {
  /** `npm test`, before each commit: the parts one by one, and the main job from the first command to the last. */
  core: [
    ...['.', 'model', 'flatten', 'extract', 'sources', 'simulator', 'reporting', 'warehouse', 'pipeline'],
    'core',
  ],
  /** `npm run test:all` runs these as well: every command, and troubles of all kinds. */
  system: ['system', 'reliability', 'embedded', 'dashboards', 'tools', 'bench'],
  /** `.ci/run` runs these as well, with programs of others: a container engine, Superset, dbt and so on. */
  tools: ['deploy', 'bi-tools', 'containers'],
} as const;

export type Layer = keyof typeof layers;

/** The layer of a test by its file, such as `test/model/day.test.ts`, or by its name in a document, `model/day`. */
export function layerOf(test: string): Layer | undefined {
  const [folder = '', ...rest] = test.replace(/^test\//, '').split('/');
  const named: string = rest.length === 0 ? '.' : folder;
  const all: readonly Layer[] = ['core', 'system', 'tools'];
  return all.find((layer) => layers[layer].some((each) => each === named));
}

/** The files of a layer, as patterns. */
export function filesOf(layer: Layer): string[] {
  return layers[layer].map((folder) => (folder === '.' ? 'test/*.test.ts' : `test/${folder}/**/*.test.ts`));
}

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

/** The layers of tests that are named as `reliability/kills`, the quickest first; `full` for the tests of `.ci/full`. */
export function layersOf(tests: readonly string[]): string[] {
  const found = new Set(tests.map(layerOf));
  const layers = (['core', 'system', 'tools'] as const).filter((layer) => found.has(layer));
  return [...layers, ...(tests.some((test) => countedTests.includes(test)) ? ['full'] : [])];
}
