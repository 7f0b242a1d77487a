import { writeSync } from 'node:fs';
import { createAuditLedger } from '../../src/audit/ledger/audit-ledger.ts';
import { openAuditFile } from '../../src/audit/record/audit-file.ts';
import { systemClock } from '../../src/platform/kernel/clock.ts';
import { makeRecord } from './audit-records.ts';

/** A process to be killed: appends records to the directory given, and prints the id of each one once acknowledged. */
const [dataDir = ''] = process.argv.slice(2);
const ledger = createAuditLedger({
  file: await openAuditFile({ dataDir, fsync: false }),
  clock: systemClock,
});

async function appendForever(): Promise<never> {
  for (;;) {
    const record = makeRecord();
    await ledger.append(record);
    writeSync(1, `${record.auditId}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, appendForever));
