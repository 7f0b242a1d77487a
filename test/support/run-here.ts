import { vi } from 'vitest';
import { runWithin } from '../../src/cli/testing/run-within.ts';
import type { Environment } from './gateway-process.ts';

/** Runs a command in this process, which takes less time than one of its own. */
export async function runHere(line: string, env: Environment): ReturnType<typeof runWithin> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    return await runWithin(...line.split(' '));
  } finally {
    vi.unstubAllEnvs();
  }
}
