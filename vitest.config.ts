import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'dashboard/**/*.test.ts'],
    // These have packages of their own: npm run test:clients.
    exclude: [...configDefaults.exclude, 'test/clients/**'],
    pool: 'forks',
    // Most tests of processes and browsers wait: with a worker for each core but one, the machine would be idle.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
