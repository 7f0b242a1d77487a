import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

/** Tests of modules, which leave nothing behind in their process: files that share one load each module once. */
const SHARING = [
  'src/**/*.test.ts',
  'dashboard/**/*.test.ts',
  'test/{catalogue,codes,contract,corpus,model,own-apis}/**/*.test.ts',
  'test/*.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    // Most tests of processes and browsers wait: with a worker for each core but one, the machine would be idle.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'modules', include: SHARING, isolate: false } },
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['test/**/*.test.ts'],
          // The clients have packages of their own: npm run test:clients.
          exclude: [...configDefaults.exclude, 'test/clients/**', ...SHARING],
        },
      },
    ],
  },
});
