/**
 * Decides which tests run in which layer. After a change, `npx vitest run test/documents.test.ts -u` updates the layers in
 * docs/guarantees.md.
 */

/** Folders of `test/` by layer; `.` are the files beside them. All others are in `all`. */
const folders = {
  core: [
    ...['model', 'flatten', 'extract', 'sources', 'simulator', 'reporting', 'pipeline', 'warehouse'],
    'embedded',
  ],
  tools: ['deploy', 'bi-tools', 'containers'],
};

/** The tests that `.ci/full` runs again with large counts. */
export const countedTests = [
  'database-loss',
  'kills',
  'limit-kills',
  'many-nights',
  'payload-fuzz',
  'platform-faults',
  'random-nights',
].map((name) => `reliability/${name}`);

/** The layers in which tests run, named as `reliability/kills`, from the quickest on. */
export function layersOf(tests: readonly string[]): string[] {
  const of = (test: string) => {
    const folder = test.includes('/') ? (test.split('/')[0] ?? '') : '.';
    if (folders.core.includes(folder)) return 'core';
    return folders.tools.includes(folder) ? 'tools' : 'all';
  };
  const found = new Set<string>(tests.map(of));
  const counted = tests.some((test) => countedTests.includes(test)) ? ['full'] : [];
  return [...['core', 'all', 'tools'].filter((layer) => found.has(layer)), ...counted];
}
