import fc from 'fast-check';
import { expect, it } from 'vitest';
import { visibleText } from '../../../test/support/arbitrary-text.ts';
import { asStored, makeRecord } from '../../../test/support/audit-records.ts';
import { toRecord, toRow } from './audit-row.ts';

it('converts every record to a row and back', () => {
  const text = visibleText();
  const nullable = fc.option(text);
  fc.assert(
    fc.property(
      fc.record({
        clientName: nullable,
        arguments: fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          fc
            .jsonValue({ noUnicodeString: false })
            .map((value) => JSON.parse(JSON.stringify(value))),
        ),
        upstream: fc.record({ method: text, url: nullable, status: fc.option(fc.nat(999)) }),
        cacheStatus: fc.constantFrom('HIT', 'STALE', null),
        publicData: fc.option(fc.record({ code: text, message: text })),
        outcome: fc.constantFrom('ok', 'upstream_error', 'error'),
        error: fc.option(fc.record({ code: text, message: text })),
        upstreamMs: fc.option(fc.double({ noNaN: true })),
      }),
      (change) => {
        const record = makeRecord(change);
        expect(toRecord(toRow(record))).toEqual(asStored(record));
      },
    ),
  );
});

it('replaces NUL, which PostgreSQL cannot store', () => {
  const row = toRow(makeRecord({ clientName: 'a\0b', arguments: { q: '\0' } }));
  expect(JSON.stringify(Object.values(row).filter((value) => `${value}`.includes('\0')))).toBe(
    '[]',
  );
  expect(row.client_name).toBe('a\uFFFDb');
});

it('bounds every column, whatever the call was', () => {
  const huge = '\u0001가\ud800'.repeat(400_000);
  const row = toRow(
    makeRecord({
      requestId: huge,
      clientName: huge,
      tool: huge,
      toolId: huge,
      arguments: { [huge]: huge, list: Array.from({ length: 340_000 }, () => huge.slice(0, 3)) },
      upstream: { method: 'GET', url: `https://example.com/?q=${huge}`, status: 200 },
      publicData: { code: huge, message: huge },
      error: { code: 'internal', message: huge },
      clientIp: huge,
    }),
  );
  expect(JSON.stringify(row).length).toBeLessThan(60_000);
  expect(row.upstream_url).toMatch(/^https:.*…\[cut\]$/s);
  expect(toRecord(row).arguments).toMatchObject({ _truncated: true });
});
