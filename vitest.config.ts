import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    // Each has the program and a server busy beside itself.
    maxWorkers: Math.max(2, Math.floor(availableParallelism() / 2)),
    // How long a condition may take is no behaviour: slow machines get time.
    expect: { poll: { timeout: 60_000 } },
  },
});
