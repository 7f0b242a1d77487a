import { describe, expect, it } from 'vitest';
import { createByteBudget } from '../../platform/kernel/byte-budget.ts';
import { HeldPages } from './held-pages.ts';
import { joinPages } from './join-pages.ts';
import { DigestSet, digestsOf } from './row-digests.ts';

const KIB = 1024;
const page = (rows: unknown[]): Buffer => Buffer.from(JSON.stringify({ body: { rows }, total: 9 }));

describe('held pages', () => {
  it('come back as they are, and are compressed beyond a MiB', async () => {
    const budget = createByteBudget(64 * KIB * KIB);
    const pages = new HeldPages();
    const texts = Array.from({ length: 30 }, (_, n) => `${n}`.repeat(100 * KIB));
    for (const text of texts) {
      const json = Buffer.from(text);
      const hold = budget.open('one');
      hold.hold(json);
      await pages.add({ json }, hold);
    }
    expect(pages.count).toBe(30);
    expect(budget.stats().usedBytes).toBeLessThan(1100 * KIB);
    const read: string[] = [];
    for await (const { json } of pages.read()) read.push(json.toString());
    expect(read).toEqual(texts);
    pages.close();
    pages.close();
    expect(budget.stats().usedBytes).toBe(0);
  });

  it('are refused where memory has no room for them, and release it', async () => {
    const budget = createByteBudget(16 * KIB);
    const pages = new HeldPages();
    const bytes = Buffer.from(Array.from({ length: 2048 * KIB }, () => Math.random() * 256));
    await expect(pages.add({ json: bytes }, budget.open('one'))).rejects.toMatchObject({
      code: 'overloaded',
    });
    pages.close();
    expect(budget.stats().usedBytes).toBe(0);
  });

  it('are joined to one page with the rows of all', async () => {
    const budget = createByteBudget(KIB);
    const pages = new HeldPages();
    for (const rows of [[], [{ a: 1 }, 2], [], [{ b: '],"' }]])
      await pages.add({ json: page(rows) }, budget.open('one'));
    const joined = await Array.fromAsync(joinPages(pages, { items: '/body/rows' }));
    expect(joined.map(({ json }) => JSON.parse(json.toString()))).toEqual([
      { body: { rows: [{ a: 1 }, 2, { b: '],"' }] }, total: 9 },
    ]);
  });
});

describe('digests of rows', () => {
  it('are equal for equal rows, and differ for others', () => {
    const digests = digestsOf(page([{ a: 1 }, { a: 2 }, { a: 1 }, 'x', {}]), '/body/rows');
    expect(digests).toHaveLength(5);
    expect(new Set(digests).size).toBe(4);
    expect(digests[0]).toBe(digests[2]);
    expect(digestsOf(Buffer.from('{}'), '/body/rows')).toEqual([]);
  });

  it('are found again, however many there are', () => {
    const rows = (from: number) =>
      page(Array.from({ length: 20_000 }, (_, n) => ({ id: from + n })));
    const known = digestsOf(rows(0), '/body/rows');
    const others = digestsOf(rows(20_000), '/body/rows');
    const set = new DigestSet();
    for (const digest of known) set.add(digest);
    expect(known.every((digest) => set.has(digest))).toBe(true);
    expect(others.some((digest) => set.has(digest))).toBe(false);
  });
});
