import { describe, expect, it } from 'vitest';
import type { CacheEntry } from './entry-codec.ts';
import { createMemoryStore } from './memory-store.ts';

const KIB = 1024;

function entryOf(json: Buffer): CacheEntry {
  return {
    response: { status: 200, ok: true, url: 'http://up/', fetchedAtMs: 0, fetchedAt: '', json },
    freshUntil: 1,
    staleUntil: 2,
  };
}

const sized = (bytes: number): CacheEntry => entryOf(Buffer.allocUnsafeSlow(bytes));

describe('the memory store', () => {
  it('returns a stored entry', () => {
    const store = createMemoryStore(10 * KIB);
    const entry = sized(KIB);
    store.set('key', entry, 'one');
    expect(store.get('key')).toEqual(entry);
  });

  it('evicts the least recently used entry when the byte budget is spent', () => {
    const store = createMemoryStore(10 * KIB);
    store.set('first', sized(4 * KIB), 'one');
    store.set('second', sized(4 * KIB), 'one');
    store.get('first');
    store.set('third', sized(4 * KIB), 'one');
    expect(store.get('second')).toBeUndefined();
    expect(store.get('first')).toBeDefined();
    expect(store.entries()).toBe(2);
    expect(store.bytes()).toBeLessThanOrEqual(10 * KIB);
  });

  it('evicts the entries of a tenant that has more than half before those of others', () => {
    const store = createMemoryStore(10 * KIB);
    store.set('other', sized(2 * KIB), 'two');
    for (let n = 0; n < 100; n++) store.set(`${n}`, sized(KIB), 'one');
    expect(store.get('other')).toBeDefined();
    expect(store.get('99')).toBeDefined();
    expect(store.get('0')).toBeUndefined();
    // What others ask for takes the place of the same tenant's, down to half.
    for (let n = 0; n < 100; n++) store.set(`of two ${n}`, sized(KIB), 'two');
    const left = Array.from({ length: 100 }, (_, n) => `${n}`).filter((key) => store.get(key));
    expect(left.length).toBeGreaterThanOrEqual(2);
    expect(store.bytes()).toBeLessThanOrEqual(10 * KIB);
  });

  it('counts an entry that another tenant replaces for that tenant', () => {
    const store = createMemoryStore(10 * KIB);
    for (let n = 0; n < 5; n++) store.set(`${n}`, sized(KIB), 'one');
    for (let n = 0; n < 5; n++) store.set(`${n}`, sized(KIB), 'two');
    for (let n = 5; n < 7; n++) store.set(`${n}`, sized(KIB), 'three');
    expect(store.get('0')).toBeUndefined();
    expect(store.get('5')).toBeDefined();
  });

  it('rejects an entry larger than its budget and keeps the others', () => {
    const store = createMemoryStore(10 * KIB);
    store.set('small', sized(KIB), 'one');
    store.set('large', sized(11 * KIB), 'one');
    expect(store.get('large')).toBeUndefined();
    expect(store.get('small')).toBeDefined();
  });

  it('counts the key, so that many small responses to long arguments stay within the budget', () => {
    const store = createMemoryStore(100 * KIB);
    for (let i = 0; i < 100; i++) store.set(`${i}`.padEnd(10 * KIB, '-'), sized(2), 'one');
    expect(store.entries()).toBeLessThan(10);
  });

  it('stores nothing when its budget is 0', () => {
    const store = createMemoryStore(0);
    store.set('key', sized(0), 'one');
    expect(store.get('key')).toBeUndefined();
    expect(store.entries()).toBe(0);
  });

  it('copies a slice of a larger buffer, which would otherwise stay in memory', () => {
    const store = createMemoryStore(100 * KIB);
    store.set('slice', entryOf(Buffer.alloc(64 * KIB, 'a').subarray(0, 10)), 'one');
    const stored = store.get('slice')?.response.json;
    expect(stored?.toString()).toBe('a'.repeat(10));
    expect(stored?.buffer.byteLength).toBe(10);
  });

  it('stores a buffer that owns its memory without copying it', () => {
    const store = createMemoryStore(100 * KIB);
    const own = Buffer.allocUnsafeSlow(10);
    store.set('own', entryOf(own), 'one');
    expect(store.get('own')?.response.json).toBe(own);
  });
});
