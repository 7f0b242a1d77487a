import { describe, expect, test } from 'vitest';
import { JOB_ID, jobStatus } from '../../../test/support/planned-gateway.ts';
import {
  type FollowDeps,
  followJob,
  MAX_QUEUE_MS,
  MAX_RUN_MS,
  MAX_SILENCE_MS,
} from './follow-job.ts';
import { decodeJobStatus, type JobStatus } from './job-status.ts';

const at = (status: string, progress?: number): JobStatus =>
  decodeJobStatus({ ...jobStatus(status, progress === undefined ? {} : { progress }) });

/** Follows a job whose status is a function of the time since it was queued; undefined = no response. */
async function follow(statusAt: (ms: number) => JobStatus | undefined) {
  let nowMs = 0;
  const seen: string[] = [];
  const pauses: number[] = [];
  let silences = 0;
  const deps: FollowDeps = {
    clock: { now: () => nowMs },
    pause: async (ms) => {
      nowMs += ms;
      pauses.push(ms);
    },
    read: async () => statusAt(nowMs),
    onChanged: ({ status, progress }) => void seen.push(`${status} ${progress}`),
    onSilent: () => void silences++,
  };
  const ended = await followJob(deps, JOB_ID).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
  return { ended, seen, pauses, silences, nowMs };
}

describe('following a job', () => {
  test.each(['registered', 'confirmation_required', 'checked', 'failed'])(
    'ends at %s',
    async (last) => {
      expect(await follow(() => at(last))).toMatchObject({
        ended: last,
        seen: [`${last} 1`],
        pauses: [],
      });
    },
  );

  test('reports every change once, and asks less and less often', async () => {
    const { seen, pauses } = await follow((ms) => {
      if (ms < 250) return at('queued');
      if (ms < 3_000) return at('fetching', 0.1);
      return ms < 9_000 ? at('converting', 0.8) : at('registered');
    });
    expect(seen).toEqual(['queued 0', 'fetching 0.1', 'converting 0.8', 'registered 1']);
    expect(pauses).toEqual([250, 500, 1000, 2000, 2000, 2000, 2000]);
  });

  test('allows a job to wait, and to run for as long as it may', async () => {
    const { ended } = await follow((ms) => {
      if (ms < MAX_QUEUE_MS - 2_000) return at('queued');
      return at(ms < MAX_QUEUE_MS + MAX_RUN_MS - 4_000 ? 'fetching' : 'registered');
    });
    expect(ended).toBe('registered');
  });

  test('stops when a job waits too long for its turn', async () => {
    const { ended, nowMs } = await follow(() => at('queued'));
    expect(ended).toBe('The job has been queued for 600 seconds.');
    expect(nowMs).toBeLessThan(MAX_QUEUE_MS + 3_000);
  });

  test('stops when a job does not end in its time', async () => {
    const { ended, nowMs } = await follow(() => at('validating'));
    expect(ended).toBe('The job has not ended after 90 seconds.');
    expect(nowMs).toBeLessThan(MAX_RUN_MS + 5_000);
  });

  test('survives a gateway that is silent for a while, and says so once each time', async () => {
    const { ended, silences } = await follow((ms) => {
      if (ms > 70_000) return at('registered');
      return (ms > 5_000 && ms < 50_000) || (ms > 60_000 && ms < 65_000) ? undefined : at('queued');
    });
    expect({ ended, silences }).toEqual({ ended: 'registered', silences: 2 });
  });

  test('stops when the gateway stays silent', async () => {
    const { ended, nowMs } = await follow(() => undefined);
    expect(ended).toBe('The gateway has been silent for 60 seconds.');
    expect(nowMs).toBeLessThan(MAX_SILENCE_MS + 3_000);
  });
});
