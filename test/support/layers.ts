/** Which tests run when: the one place that says so. */

/** `npm test`, `npm run test:all`, the parts of `.ci` that bring tools of others, and `.ci/full`. */
export const layers = ['core', 'all', 'tools', 'full'] as const;
export type Layer = (typeof layers)[number];

const coreFolders = [
  'embedded',
  'extract',
  'flatten',
  'model',
  'pipeline',
  'reporting',
  'simulator',
  'sources',
  'warehouse',
];
const toolFolders = ['bi-tools', 'containers', 'deploy'];
/** What `.ci/full` runs once more with large counts. */
export const countedTests = [
  'database-loss',
  'kills',
  'limit-kills',
  'many-nights',
  'payload-fuzz',
  'platform-faults',
  'random-nights',
];

/** The layers of a test, named without `test/` and `.test.ts`, such as `reliability/kills`. */
export function layersOf(test: string): Layer[] {
  const [folder = '', name = ''] = test.split('/');
  if (coreFolders.includes(folder)) return ['core'];
  if (toolFolders.includes(folder)) return ['tools'];
  return folder === 'reliability' && countedTests.includes(name) ? ['all', 'full'] : ['all'];
}
