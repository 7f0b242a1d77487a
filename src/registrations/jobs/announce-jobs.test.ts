import { expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import type { JobRecord, JobState } from '../store/job-record.ts';
import { createAnnouncer } from './announce-jobs.ts';

const job = (id: string, state: JobState) =>
  ({ id, tenantId: 'ten_1', state }) as unknown as JobRecord;

it('announces a job of an earlier process, however many others have ended since', async () => {
  const stored = new Map([['job_0', job('job_0', 'converting')]]);
  const announced: string[] = [];
  let isKnown = false;
  const announcer = createAnnouncer({
    queue: {
      find: async (_tenantId, id) => stored.get(id),
      states: async (ids) => ids.flatMap((id) => stored.get(id) ?? []),
      unfinished: async (limit) => {
        isKnown = true;
        return [...stored.values()].slice(0, limit);
      },
    },
    emit: ({ id, state }) => void announced.push(`${id} ${state}`),
    pollMs: 1,
  });
  try {
    await until(() => isKnown);
    // More than are remembered.
    for (let at = 1; at <= 1100; at++) announcer.announce(job(`job_${at}`, 'registered'));
    stored.set('job_0', job('job_0', 'registered'));
    await until(() => announced.includes('job_0 registered'));
    announcer.announce(job('job_0', 'registered'));
    expect(announced).toHaveLength(1101);
  } finally {
    await announcer.close();
  }
});

it('asks for the states of at most a thousand jobs at a time', async () => {
  const asked: number[] = [];
  const announcer = createAnnouncer({
    queue: {
      find: async () => undefined,
      states: async (ids) => {
        asked.push(ids.length);
        return [];
      },
      unfinished: async () => [],
    },
    emit: () => undefined,
    pollMs: 1,
  });
  try {
    for (let at = 0; at < 1500; at++) announcer.announce(job(`job_${at}`, 'converting'));
    await until(() => asked.length > 1);
    expect(Math.max(...asked)).toBe(1000);
  } finally {
    await announcer.close();
  }
});
