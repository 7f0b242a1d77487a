import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyText } from '../../../test/support/arbitrary-text.ts';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { describeStores, openTestDatabase } from '../../../test/support/databases.ts';
import { openAudit, openAuditReader } from '../audit.ts';
import type { AuditRecord } from '../record/audit-record.ts';
import { toRow } from '../record/audit-row.ts';
import { lengthAtMost, serialiseRecords } from './chain-link.ts';
import { verifyChain } from './chain-verify.ts';

const text = anyText();
const maybeText = fc.option(text);
const number = fc.double({ noNaN: true, noDefaultInfinity: true });

/** Any record that callers and upstreams can cause, including lone surrogates and NUL. */
const records: fc.Arbitrary<AuditRecord> = fc
  .record({
    requestId: text,
    clientName: maybeText,
    arguments: fc.dictionary(text, fc.jsonValue()),
    url: maybeText,
    status: fc.option(fc.integer({ min: 100, max: 599 })),
    publicData: fc.option(fc.record({ code: text, message: text })),
    error: fc.option(fc.record({ code: fc.constant('internal'), message: text })),
    durationMs: number,
    upstreamMs: fc.option(number),
    responseBytes: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
    surrogate: fc.constantFrom('', '\ud800', 'x\udc00'),
  })
  .map(({ url, status, surrogate, ...change }) =>
    makeRecord({
      ...change,
      clientIp: `127.0.0.1${surrogate}`,
      upstream: { method: 'GET', url, status },
    }),
  );

it('the hash of a record covers every column', () => {
  const row = toRow(makeRecord());
  for (const column of Object.keys(row)) {
    const changed = { ...row, [column]: 'another' };
    expect(serialiseRecords([changed]), column).not.toBe(serialiseRecords([row]));
  }
});

it('the text of records is that of each, one after another', () => {
  fc.assert(
    fc.property(fc.array(records), (some) => {
      const rows = some.map(toRow);
      const each = rows.map((row) => serialiseRecords([row]));
      expect(serialiseRecords(rows)).toBe(each.join(''));
      for (const [at, row] of rows.entries())
        expect(each[at]?.length).toBeLessThanOrEqual(lengthAtMost(row));
    }),
  );
});

describeStores('the text of a record that is hashed', (backend) => {
  it('is the same after the record is read back', async () => {
    const place = await backend.makePlace();
    const database = await openTestDatabase(place);
    const audit = await openAudit({
      dataDir: place.dataDir,
      database,
      clock: { now: Date.now },
      fsync: false,
      retentionDays: 0,
      maxOutboxRecords: 1_000_000,
      onError: () => undefined,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(records, { minLength: 1, maxLength: 30 }), async (some) => {
        await Promise.all(some.map(audit.ledger.append));
      }),
      { numRuns: 50 },
    );
    await audit.close();
    const reader = await openAuditReader({ dataDir: place.dataDir, database });
    const report = await verifyChain({ db: reader.db, settleMs: 0 });
    expect(report.findings).toEqual([]);
    expect(report.origins[0]?.records).toBeGreaterThan(100);
    await reader.close();
    await database.close();
    await place.remove();
  });
});
