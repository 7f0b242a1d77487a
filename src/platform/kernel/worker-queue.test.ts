import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createWorkerQueue,
  toTransferable,
  WorkerFailure,
  type WorkerQueueOptions,
  WorkerTimeout,
} from './worker-queue.ts';

function openQueue(options: Partial<WorkerQueueOptions> = {}) {
  const queue = createWorkerQueue<string>({
    script: new URL('./testing/scripted-worker.ts', import.meta.url),
    idleMs: 30_000,
    maxHeapMib: 32,
    maxWaiting: 10,
    jobTimeoutMs: 30_000,
    ...options,
  });
  onTestFinished(() => queue.close());
  return queue;
}

/** Long enough for a new thread to start on a busy machine. */
const SHORT_MS = 3000;

/** Runs jobs in lanes behind one that runs already; `order` has those that were sent to the thread. */
function openLanes(options: Partial<WorkerQueueOptions> = {}) {
  const queue = openQueue(options);
  const order: string[] = [];
  const first = queue.run(() => ({ value: 'first' }), 'f');
  const run = (job: string): Promise<string> =>
    queue.run(() => {
      order.push(job);
      return { value: job };
    }, job[0]);
  return { order, run, first };
}

function newQueue(options: Partial<WorkerQueueOptions> = {}) {
  const queue = openQueue(options);
  return (value: string) => queue.run(() => ({ value }));
}

describe('a worker queue', () => {
  it('runs the jobs in turn', async () => {
    const run = newQueue();
    const jobs = ['a', 'b', 'c'].map(run);
    expect(await Promise.all(jobs)).toEqual(['a!', 'b!', 'c!']);
  });

  it('fails only the job that the thread did not survive', async () => {
    const run = newQueue();
    const [before, fatal, after] = [run('a'), run('eat'), run('b')];
    await expect(fatal).rejects.toBeInstanceOf(WorkerFailure);
    expect(await before).toBe('a!');
    expect(await after).toBe('b!');
  });

  it('ends a job that takes too long, and continues with the next', async () => {
    const run = newQueue({ jobTimeoutMs: SHORT_MS });
    const [stuck, after] = [run('sleep'), run('a')];
    await expect(stuck).rejects.toBeInstanceOf(WorkerFailure);
    expect(await after).toBe('a!');
  });

  it('rejects a job that has waited too long, if waiting counts', async () => {
    const run = newQueue({ jobTimeoutMs: SHORT_MS, countsWaiting: true });
    const late = await Promise.allSettled([run('sleep'), run('a')]);
    for (const result of late) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(WorkerTimeout) });
    }
    expect(await run('b')).toBe('b!');
  });

  it('refuses a job when too many wait', async () => {
    const run = newQueue({ maxWaiting: 2 });
    const accepted = [run('a'), run('b'), run('c')];
    await expect(run('d')).rejects.toMatchObject({ code: 'overloaded' });
    expect(await Promise.all(accepted)).toEqual(['a!', 'b!', 'c!']);
  });

  it('gives lanes turns, however many jobs came first, and keeps the order of each', async () => {
    const { order, run } = openLanes();
    await Promise.all(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(run));
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('runs what waits in another lane before a second job of the lane that had its turn', async () => {
    const { order, run } = openLanes();
    await Promise.all(['f2', 'f3', 'a1'].map(run));
    expect(order).toEqual(['a1', 'f2', 'f3']);
  });

  it('refuses a job when too many of its lane wait, and still takes those of others', async () => {
    const { order, run, first } = openLanes({ maxWaiting: 3, maxWaitingPerLane: 2 });
    const accepted = [first, run('a1'), run('a2')];
    await expect(run('a3')).rejects.toMatchObject({ code: 'overloaded' });
    accepted.push(run('b1'));
    await expect(run('b2')).rejects.toMatchObject({ code: 'overloaded' });
    await Promise.all(accepted);
    expect(order).toEqual(['a1', 'b1', 'a2']);
    expect(await Promise.all([run('a4'), run('a5')])).toEqual(['a4!', 'a5!']);
  });

  it('forgets a waiting job that took too long, and its turn', async () => {
    const { order, run } = openLanes({ jobTimeoutMs: SHORT_MS, countsWaiting: true });
    const late = await Promise.allSettled([run('sleep'), run('a1'), run('a2')]);
    expect(late.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await Promise.all([run('a3'), run('b1')])).toEqual(['a3!', 'b1!']);
    expect(order).toEqual(['sleep', 'a3', 'b1']);
  });

  it('rejects the jobs of every lane when it closes', async () => {
    const queue = openQueue();
    const jobs = ['a', 'a', 'b'].map((lane) => queue.run(() => ({ value: 'sleep' }), lane));
    const settled = Promise.allSettled(jobs);
    await queue.close();
    for (const result of await settled) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    }
  });

  it('waits for a message, whose time counts, and drops one that comes too late', async () => {
    const queue = openQueue();
    const late = Promise.withResolvers<{ value: string }>();
    const slow = queue.run(() => late.promise, 'a', 10);
    await expect(slow).rejects.toBeInstanceOf(WorkerTimeout);
    const broken = queue.run(() => Promise.reject(new Error('unreadable')));
    await expect(broken).rejects.toThrow('unreadable');
    late.resolve({ value: 'late' });
    expect(await queue.run(async () => ({ value: 'a' }))).toBe('a!');
  });

  it('creates a message only when its turn has come, and rejects with what that throws', async () => {
    const queue = openQueue();
    const made: string[] = [];
    const first = queue.run(() => ({ value: made[made.push('first') - 1] }));
    const second = queue.run(() => {
      made.push('second');
      throw new Error('too late');
    });
    const third = queue.run(() => ({ value: 'third' }));
    expect(made).toEqual(['first']);
    expect(await first).toBe('first!');
    await expect(second).rejects.toThrow('too late');
    expect(await third).toBe('third!');
  });
});

it('hands over large bytes without a copy, and a copy of small ones, which may be in a pool', () => {
  const large = Buffer.alloc(Buffer.poolSize + 1, 'a');
  expect(toTransferable(large).buffer).toBe(large.buffer);
  expect(Buffer.from(toTransferable(large))).toEqual(large);
  const small = Buffer.from('abc');
  expect(toTransferable(small).buffer).not.toBe(small.buffer);
  expect(Buffer.from(toTransferable(small))).toEqual(small);
});
