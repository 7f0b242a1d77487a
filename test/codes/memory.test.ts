import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { createCodeTables } from '../../src/codes/code-tables.ts';

const MAX_BYTES = 15_000_000;
const SEOUL = { lat: 37.5665, lon: 126.978 };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of the heap and of buffers outside of it that are in use. */
function usedBytes(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('the memory of the code tables', () => {
  test('stays below 15 MB when all of them are open', () => {
    const before = usedBytes();
    const tables = createCodeTables({ dir: resolve(import.meta.dirname, '../../codes') });
    for (const kind of tables.kinds) {
      tables.find({ kind, text: '서울' });
      if (kind === 'place') tables.find({ kind, near: SEOUL });
    }
    const used = usedBytes() - before;
    console.log(`code tables: ${(used / 1e6).toFixed(1)} MB`);
    expect(used).toBeLessThan(MAX_BYTES);
    expect(tables.kinds.length).toBeGreaterThan(0);
  });
});
