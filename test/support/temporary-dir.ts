import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const makeDataDir = (): Promise<string> => mkdtemp(join(tmpdir(), 'gateway-test-'));

export const removeDir = (dir: string): Promise<void> => rm(dir, { recursive: true, force: true });
