import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** All tests together take a third of it. */
const MIN_FREE_BYTES = 1024 ** 3;

/**
 * The value of TMPDIR for tests: a directory that is removed when this process ends, in memory where that has room and
 * may hold programs, as the thousands of small databases would otherwise wait for the disk; TMPDIR itself if it is set.
 */
export function temporaryRoot(minFreeBytes = MIN_FREE_BYTES): string {
  const given = process.env['TMPDIR'];
  if (given) return given;
  const inMemory = freeBytesOf(MEMORY) >= minFreeBytes && mayHoldPrograms(MEMORY);
  return ownDirIn(inMemory ? MEMORY : tmpdir());
}

function ownDirIn(parent: string): string {
  const dir = mkdtempSync(join(parent, 'gateway-tests-'));
  // PostgreSQL runs as a user of its own, who must find its directory.
  chmodSync(dir, 0o711);
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function freeBytesOf(dir: string): number {
  try {
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** Containers often have it mounted with `noexec`. */
function mayHoldPrograms(dir: string): boolean {
  const program = join(dir, `gateway-test-${process.pid}`);
  try {
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
    return spawnSync(program).status === 0;
  } catch {
    return false;
  } finally {
    rmSync(program, { force: true });
  }
}
