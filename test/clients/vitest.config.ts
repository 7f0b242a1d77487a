import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    pool: 'forks',
    globalSetup: '../support/postgres-template.ts',
    // Most of these tests wait, for clients that start or for progress: see the configuration of the other tests.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // On a slow machine, a client takes many seconds to start.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // As in the configuration of the other tests.
    retry: process.env['CI'] ? 1 : 0,
  },
});
