import { describe, expect, it } from 'vitest';
import type { CacheEntry } from './cache-entry.ts';
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
    store.set('key', entry);
    expect(store.get('key')).toEqual(entry);
  });

  it('evicts the least recently used entry when the byte budget is spent', () => {
    const store = createMemoryStore(10 * KIB);
    store.set('first', sized(4 * KIB));
    store.set('second', sized(4 * KIB));
    store.get('first');
    store.set('third', sized(4 * KIB));
    expect(store.get('second')).toBeUndefined();
    expect(store.get('first')).toBeDefined();
    expect(store.entries()).toBe(2);
    expect(store.bytes()).toBeLessThanOrEqual(10 * KIB);
  });

  it('rejects an entry larger than its budget and keeps the others', () => {
    const store = createMemoryStore(10 * KIB);
    store.set('small', sized(KIB));
    store.set('large', sized(11 * KIB));
    expect(store.get('large')).toBeUndefined();
    expect(store.get('small')).toBeDefined();
  });

  it('counts the key, so that many small responses to long arguments stay within the budget', () => {
    const store = createMemoryStore(100 * KIB);
    for (let i = 0; i < 100; i++) store.set(`${i}`.padEnd(10 * KIB, '-'), sized(2));
    expect(store.entries()).toBeLessThan(10);
  });

  it('stores nothing when its budget is 0', () => {
    const store = createMemoryStore(0);
    store.set('key', sized(0));
    expect(store.get('key')).toBeUndefined();
    expect(store.entries()).toBe(0);
  });

  it('copies a slice of a larger buffer, which would otherwise stay in memory', () => {
    const store = createMemoryStore(100 * KIB);
    store.set('slice', entryOf(Buffer.alloc(64 * KIB, 'a').subarray(0, 10)));
    const stored = store.get('slice')?.response.json;
    expect(stored?.toString()).toBe('a'.repeat(10));
    expect(stored?.buffer.byteLength).toBe(10);
  });

  it('stores a buffer that owns its memory without copying it', () => {
    const store = createMemoryStore(100 * KIB);
    const own = Buffer.allocUnsafeSlow(10);
    store.set('own', entryOf(own));
    expect(store.get('own')?.response.json).toBe(own);
  });
});
