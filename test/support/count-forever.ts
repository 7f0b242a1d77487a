import { toRow } from '../../src/audit/record/audit-row.ts';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { systemClock } from '../../src/platform/kernel/time.ts';
import { openStatistics } from '../../src/statistics/open-statistics.ts';
import { makeRecord } from './audit-records.ts';

/** Counts 40 calls at a time and writes them, until it is killed; prints a dot after each write. */
const [dataDir = '', databaseUrl] = process.argv.slice(2);
const statistics = openStatistics({
  dataDir,
  databaseUrl: databaseUrl === undefined ? undefined : new Secret(databaseUrl),
  clock: systemClock,
  onError: console.error,
});
const rows = Array.from({ length: 40 }, (_, n) =>
  toRow(makeRecord({ toolId: `tool-${n}` }, systemClock.now())),
);
for (;;) {
  statistics.count(rows);
  await statistics.flush();
  process.stdout.write('.');
}
