import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { filesOf, type Layer } from './test/layers.ts';

const project = (name: Layer) => ({
  test: {
    name,
    include: filesOf(name),
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks' as const,
    // How long a condition may take is no behaviour: slow machines get time.
    expect: { poll: { timeout: 180_000 } },
  },
});

export default defineConfig({
  test: {
    projects: [project('core'), project('system'), project('tools')],
    globalSetup: ['test/support/global-setup.ts'],
    // Tests wait for the program and the server most of the time: one more than there are cores keeps all of these busy.
    maxWorkers: availableParallelism() + 1,
  },
});
