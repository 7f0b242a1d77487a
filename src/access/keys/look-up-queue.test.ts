import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createLookUpQueue,
  MAX_RUNNING,
  MAX_RUNNING_OF_SOURCE,
  MAX_WAIT_MS,
  MAX_WAITING,
  MAX_WAITING_OF_SOURCE,
} from './look-up-queue.ts';

describe('the look-up queue', () => {
  let queue: ReturnType<typeof createLookUpQueue>;
  /** The running look-ups in the order in which they started, and how to end each. */
  let running: { name: string; end: () => void }[];

  beforeEach(() => {
    vi.useFakeTimers();
    queue = createLookUpQueue();
    running = [];
  });
  afterEach(() => vi.useRealTimers());

  const settle = () => vi.advanceTimersByTimeAsync(0);

  /** A look-up that runs until the test ends it. */
  const ask = (name: string): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<string>();
    return queue.run(name, () => {
      running.push({ name, end: () => resolve(name) });
      return promise;
    });
  };
  const askTimes = (name: string, times: number): void => {
    for (let i = 0; i < times; i++) ask(name).catch(() => undefined);
  };
  const endFirst = async () => {
    running.shift()?.end();
    await settle();
  };
  const names = () => running.map(({ name }) => name).join('');

  it('does the work immediately while a slot is free', async () => {
    await expect(queue.run('a', async () => 7)).resolves.toBe(7);
    await expect(queue.run('a', () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  });

  it('limits concurrent look-ups, in total and of one source', async () => {
    askTimes('a', 10);
    expect(names()).toBe('a'.repeat(MAX_RUNNING_OF_SOURCE));
    for (const name of 'bcdefghij') askTimes(name, 1);
    expect(running).toHaveLength(MAX_RUNNING);
    await endFirst();
    expect(running).toHaveLength(MAX_RUNNING);
  });

  it('lets sources take turns', async () => {
    askTimes('a', 8);
    askTimes('b', 8);
    askTimes('c', 1);
    for (let i = 0; i < 5; i++) await endFirst();
    expect(names()).toContain('c');
  });

  it('finishes every look-up', async () => {
    const results = [...'abc'.repeat(50)].map(ask);
    for (let i = 0; i < 150; i++) await endFirst();
    expect(await Promise.all(results)).toHaveLength(150);
    askTimes('d', 1);
    expect(names()).toBe('d');
  });

  it('limits how many look-ups of one source wait, and accepts those of another', async () => {
    askTimes('a', MAX_RUNNING_OF_SOURCE + MAX_WAITING_OF_SOURCE);
    await expect(ask('a')).rejects.toMatchObject({
      code: 'overloaded',
      details: { retryAfterSeconds: 1 },
    });
    askTimes('b', 1);
    expect(names()).toContain('b');
  });

  it('limits how many look-ups wait in total', async () => {
    const each = MAX_WAITING_OF_SOURCE + MAX_RUNNING_OF_SOURCE;
    for (let n = 0; n < MAX_WAITING / MAX_WAITING_OF_SOURCE + 1; n++) {
      askTimes(`source ${n}`, each);
    }
    await expect(ask('late')).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('refuses a look-up that has waited too long', async () => {
    askTimes('a', MAX_RUNNING_OF_SOURCE);
    const refusal = expect(ask('a')).rejects.toMatchObject({ code: 'overloaded' });
    await vi.advanceTimersByTimeAsync(MAX_WAIT_MS);
    await refusal;
    await endFirst();
    expect(running).toHaveLength(MAX_RUNNING_OF_SOURCE - 1);
  });
});
