import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { temporaryRoot } from './test/support/temporary-root.ts';

/** Tests of modules, which leave nothing behind in their process: files that share one load each module once. */
const SHARING = [
  'src/**/*.test.ts',
  'sandbox/**/*.test.ts',
  'dashboard/**/*.test.ts',
  'bench/**/*.test.ts',
  'test/{catalogue,codes,contract,corpus,model,own-apis,rows}/**/*.test.ts',
  'test/*.test.ts',
];

/** Tests that measure memory or the cost of a hash, which must have a process of their own. */
const MEASURING = [
  'src/audit/shipping/audit-shipping.test.ts',
  'src/access/people/passwords.test.ts',
  'src/calls/over/range-memory.test.ts',
  'src/calls/results/result-memory.test.ts',
];

const CHEAP_PASSWORDS = ['test/support/cheap-passwords.mjs'];

const CI = Boolean(process.env['CI']);

export default defineConfig({
  test: {
    pool: 'forks',
    // Vite would set BASE_URL, which the gateway reads, to "/".
    env: { TMPDIR: temporaryRoot(), BASE_URL: '' },
    globalSetup: ['test/support/postgres-template.ts', 'test/support/packed-packages.ts'],
    // Most tests of processes and browsers wait: with a worker for each core, the machine would be idle. With six for two
    // cores, a run takes as long and more CPU, and on a slow machine tests reach the time limits of what they test.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    maxConcurrency: 3,
    // On a slow machine, one process or page takes seconds to start, and some tests need ten of them.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    // A test of real servers that fails once in thousands of runs is named by `late-passes.ts` instead of ending a run
    // of twelve thousand. A counterexample of a property counts at once: another try would only look elsewhere.
    retry: { count: CI ? 1 : 0, condition: /^(?!Property failed after)/ },
    projects: [
      {
        extends: true,
        test: {
          name: 'modules',
          include: SHARING,
          exclude: [...configDefaults.exclude, ...MEASURING],
          isolate: false,
          setupFiles: CHEAP_PASSWORDS,
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['test/**/*.test.ts'],
          // The clients have packages of their own: npm run test:clients.
          exclude: [...configDefaults.exclude, 'test/clients/**', ...SHARING],
          isolate: false,
          setupFiles: CHEAP_PASSWORDS,
        },
      },
      { extends: true, test: { name: 'memory', include: MEASURING } },
    ],
  },
});
