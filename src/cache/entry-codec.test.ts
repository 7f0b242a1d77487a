import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEntry, encodeEntry } from './entry-codec.ts';

const entries = fc.record({
  response: fc.record(
    {
      status: fc.integer({ min: 200, max: 599 }),
      ok: fc.boolean(),
      url: fc.webUrl(),
      json: fc.json().map((text) => Buffer.from(text)),
      publicData: fc.record({ code: fc.string(), message: fc.string() }),
      rows: fc.nat(),
      fetchedAtMs: fc.nat(),
      fetchedAt: fc.string(),
    },
    { requiredKeys: ['status', 'ok', 'url', 'json', 'fetchedAtMs', 'fetchedAt'] },
  ),
  lifetimeMs: fc.nat(),
  staleMs: fc.nat(),
});

describe('the entry codec', () => {
  it('decodes what it encoded', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        expect(decodeEntry(encodeEntry(entry))).toEqual(entry);
      }),
    );
  });

  it('returns undefined when any byte of a value is changed', () => {
    fc.assert(
      fc.property(entries, fc.nat(), fc.integer({ min: 1, max: 255 }), (entry, at, change) => {
        const bytes = encodeEntry(entry);
        const index = at % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(index) ^ change, index);
        expect(decodeEntry(bytes)).toBeUndefined();
      }),
    );
  });

  it('returns undefined for a truncated value', () => {
    fc.assert(
      fc.property(entries, fc.nat(), (entry, at) => {
        const bytes = encodeEntry(entry);
        expect(decodeEntry(bytes.subarray(0, at % bytes.length))).toBeUndefined();
      }),
    );
  });

  it('returns undefined for a foreign value', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(decodeEntry(Buffer.from(bytes))).toBeUndefined();
      }),
    );
  });
});
