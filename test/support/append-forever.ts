import { writeSync } from 'node:fs';
import { createAuditLedger } from '../../src/audit/ledger/audit-ledger.ts';
import { openAuditFile } from '../../src/audit/record/audit-file.ts';
import { systemClock } from '../../src/platform/kernel/time.ts';
import { makeRecord } from './audit-records.ts';

/** Appends records to the given directory until it is killed, and prints the id of each acknowledged record. */
const [dataDir = ''] = process.argv.slice(2);
const file = await openAuditFile({ dataDir, fsync: false });
const ledger = createAuditLedger({ file, clock: systemClock });

async function appendForever(): Promise<never> {
  for (;;) {
    const record = makeRecord();
    await ledger.append(record);
    writeSync(1, `${record.auditId}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, appendForever));
