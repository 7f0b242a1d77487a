import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { JobRecord } from '../store/job-record.ts';
import type { JobStore } from '../store/job-store.ts';
import { createJobRunner } from './job-runner.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Runs for a minute while a job seems silent, whose last sign of life is what `aliveAtMs` says; returns the jobs that failed. */
async function failedWhile(aliveAtMs: () => number): Promise<string[]> {
  const failed: string[] = [];
  const queue = {
    keepAlive: async () => undefined,
    silent: async () => [{ id: 'job_1', tenantId: 'ten_1', aliveAtMs: aliveAtMs() }],
    end: async ({ id }: { id: string }) => void failed.push(id),
    sweep: async () => 0,
  };
  const runner = createJobRunner({
    queue: queue as unknown as JobStore,
    steps: {} as never,
    onChanged: (_job: JobRecord) => undefined,
    onError: () => undefined,
  });
  await vi.advanceTimersByTimeAsync(12_000);
  const atOnce = failed.length;
  await vi.advanceTimersByTimeAsync(48_000);
  await runner.close();
  expect(atOnce).toBe(0);
  return [...new Set(failed)];
}

it('fails the job of a process that gives no sign of life', async () => {
  expect(await failedWhile(() => 1)).toEqual(['job_1']);
});

it('leaves the job of a process that runs, however much the clocks of the two differ', async () => {
  let aliveAtMs = 0;
  expect(await failedWhile(() => ++aliveAtMs)).toEqual([]);
});
