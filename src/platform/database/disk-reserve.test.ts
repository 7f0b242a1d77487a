import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { openDiskReserve } from './disk-reserve.ts';

describe('the disk reserve', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await makeDataDir();
  });
  afterEach(() => removeDir(dataDir));

  const file = () => join(dataDir, 'disk.reserve');

  it('is a file that can be deleted once, and created again while there is space', async () => {
    const reserve = openDiskReserve({ dataDir, floorBytes: 1 });
    expect(statSync(file()).size).toBe(4 * 1024 * 1024);
    expect(reserve.release()).toBe(true);
    expect(reserve.release()).toBe(false);
    expect(reserve.restore()).toBe(true);
    expect(existsSync(file())).toBe(true);
    await reserve.close();
  });

  it('is deleted and reported if less space than the floor is free at start', async () => {
    await openDiskReserve({ dataDir, floorBytes: 1 }).close();
    const reserve = openDiskReserve({ dataDir, floorBytes: Number.MAX_SAFE_INTEGER });
    expect(existsSync(file())).toBe(false);
    let reports = 0;
    reserve.watch(() => reports++);
    expect(reports).toBe(1);
    expect(reserve.restore()).toBe(false);
    await reserve.close();
  });

  it('does not exist if the floor is 0', async () => {
    const reserve = openDiskReserve({ dataDir, floorBytes: 0 });
    expect(existsSync(file())).toBe(false);
    expect(reserve.restore()).toBe(true);
    await reserve.close();
  });
});
