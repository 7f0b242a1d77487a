import { expect, it } from 'vitest';
import { describeStores, openTestDatabase } from '../../../test/support/databases.ts';
import { usedBytes } from '../../../test/support/used-memory.ts';
import { encodeFile } from './encode-file.ts';
import { createResultStore, type ResultFile, type ResultStore } from './result-store.ts';

const MIB = 1024 * 1024;
const ROWS = 1_000_000;
const BATCH = 1000;
const COLUMNS = ['day', 'amount', 'name', 'n', 'district', 'id'].map((name) => ({ name }));

const rowAt = (n: number): string[] => [
  `"2026-11-${n % 30}"`,
  `${(n * 7919) % 100_000}.50`,
  `"아파트 ${n % 977}"`,
  `${n}`,
  '"강남구"',
  `"${(n * 2_654_435_761) % 4_294_967_296}"`,
];

async function write(store: ResultStore, onBatch: (n: number) => void): Promise<ResultFile> {
  const writer = store.open({ tenantId: 'one', tool: 'sky_now' });
  for (let n = 0; n < ROWS; n += BATCH) {
    await writer.append(Array.from({ length: BATCH }, (_, index) => rowAt(n + index)));
    onBatch(n / BATCH);
  }
  return writer.finish(COLUMNS);
}

describeStores('a file of a million rows', (backend) => {
  it('is written and read in the memory of a few pieces', async () => {
    const place = await backend.makePlace();
    const database = await openTestDatabase(place);
    const onError = (error: unknown) => expect(error).toBeUndefined();
    const store = createResultStore({
      ...{ db: database.db, clock: { now: Date.now }, maxBytes: 256 * MIB, onError },
    });
    let peak = 0;
    const sample = (n: number): void => {
      if (n % 100 === 0) peak = Math.max(peak, usedBytes());
    };
    try {
      const before = usedBytes();
      const file = await write(store, sample);
      let bytes = 0;
      let chunks = 0;
      for await (const chunk of encodeFile('csv', file.columns, store.read(file))) {
        bytes += chunk.length;
        sample(chunks++);
      }
      expect(file.rows).toBe(ROWS);
      expect(bytes).toBeGreaterThan(50 * MIB);
      expect((peak - before) / MIB).toBeLessThan(20);
    } finally {
      await store.close();
      await database.close();
      await place.remove();
    }
  });
});
