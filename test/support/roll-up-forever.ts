import { DatabaseSync } from 'node:sqlite';
import { STEPS } from '../../src/statistics/tally/steps.ts';
import { createRollUpBatch } from '../../src/statistics/writing/roll-up-batch.ts';

/** Counts the records of an `audit.db` until it is killed; prints a dot after each round. */
const [path = ''] = process.argv.slice(2);
const file = new DatabaseSync(path, { timeout: 5000 });
const batches = STEPS.map((step) => createRollUpBatch(file, step));
for (;;) {
  for (const batch of batches) batch(0);
  process.stdout.write('.');
  await new Promise((resolve) => setTimeout(resolve, 1));
}
