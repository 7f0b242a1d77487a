import { afterEach, expect, test, vi } from 'vitest';
import { jobStatus } from '../../../test/support/planned-gateway.ts';
import { decodeJobStatus, type JobStatus, MAX_JOB_MS, untilEnded } from './registration-job.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const at = (status: string, progress?: number): JobStatus =>
  decodeJobStatus({ ...jobStatus(status, progress === undefined ? {} : { progress }) });

/** Follows a job whose status is a function of the time since it was submitted; undefined = no response. */
async function follow(statusAt: (ms: number) => JobStatus | undefined) {
  let nowMs = 0;
  const said: string[] = [];
  const pauses: number[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  const deps = {
    clock: { now: () => nowMs },
    pause: async (ms: number) => {
      nowMs += ms;
      pauses.push(ms);
    },
  };
  const ended = await untilEnded(deps, async () => statusAt(nowMs), 'http://gateway').then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
  return { ended, said: said.map((line) => line.trim()), pauses, nowMs };
}

const SILENT = 'The gateway at http://gateway does not respond. Trying again.';

test('a job is followed until it ends: every change once, less and less often', async () => {
  const { ended, said, pauses } = await follow((ms) => {
    if (ms < 250) return at('queued');
    if (ms < 3_000) return at('fetching', 0.1);
    return ms < 9_000 ? at('converting', 0.8) : at('registered');
  });
  expect(ended).toBe('registered');
  expect(said).toEqual(['0 % queued', '10 % fetching', '80 % converting', '100 % registered']);
  expect(pauses).toEqual([250, 500, 1000, 2000, 2000, 2000, 2000]);
});

test('a gateway may be silent for a while, which is said once each time', async () => {
  const { ended, said } = await follow((ms) => {
    if (ms > 70_000) return at('registered');
    return (ms > 5_000 && ms < 50_000) || (ms > 60_000 && ms < 65_000) ? undefined : at('queued');
  });
  expect(ended).toBe('registered');
  expect(said.filter((line) => line === SILENT)).toHaveLength(2);
});

test.each([
  ['a gateway that stays silent', undefined, 'The gateway has been silent for 60 seconds.', 60_000],
  ['a job that does not end', at('queued'), 'The job has not ended after 720 seconds.', MAX_JOB_MS],
])('%s ends the command', async (_what, status, message, ms) => {
  const { ended, nowMs } = await follow(() => status);
  expect(ended).toBe(message);
  expect(nowMs).toBeLessThan(ms + 3_000);
});
