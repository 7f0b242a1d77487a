import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { relieveMemory } from './relieve-memory.ts';

const LIMIT_BYTES = 1000;

describe('relieveMemory', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const relieve = (rssBytes: () => number) => {
    const collect = vi.fn();
    return { collect, stop: relieveMemory({ limitBytes: LIMIT_BYTES, rssBytes, collect }) };
  };

  it('leaves a process alone that has memory to spare', async () => {
    const { collect, stop } = relieve(() => 750);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(collect).not.toHaveBeenCalled();
    stop();
  });

  it('collects as soon as little is left, and not again for five seconds', async () => {
    let rss = 700;
    const { collect, stop } = relieve(() => rss);
    await vi.advanceTimersByTimeAsync(10_000);
    rss = 751;
    await vi.advanceTimersByTimeAsync(25);
    expect(collect).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(4975);
    expect(collect).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(25);
    expect(collect).toHaveBeenCalledTimes(2);
    stop();
  });

  it('collects again within the five seconds once the process has grown by a sixteenth of its memory', async () => {
    let rss = 900;
    const { collect, stop } = relieve(() => rss);
    await vi.advanceTimersByTimeAsync(100);
    rss = 840;
    await vi.advanceTimersByTimeAsync(1000);
    rss = 902;
    await vi.advanceTimersByTimeAsync(1000);
    expect(collect).toHaveBeenCalledTimes(1);
    rss = 903;
    await vi.advanceTimersByTimeAsync(1000);
    expect(collect).toHaveBeenCalledTimes(2);
    stop();
  });

  it('survives a process without a file descriptor left, in which no memory can be read', async () => {
    let isOut = true;
    const { collect, stop } = relieve(() => {
      if (isOut) throw new Error('EMFILE: too many open files, uv_resident_set_memory');
      return 900;
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(collect).not.toHaveBeenCalled();
    isOut = false;
    await vi.advanceTimersByTimeAsync(250);
    expect(collect).toHaveBeenCalledTimes(1);
    stop();
  });

  it('ends', async () => {
    const { collect, stop } = relieve(() => 900);
    stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(collect).not.toHaveBeenCalled();
  });
});
