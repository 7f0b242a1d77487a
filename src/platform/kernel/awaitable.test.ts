import { describe, expect, it } from 'vitest';
import { whenReady } from './awaitable.ts';

const double = (value: number): number => value * 2;
const failing = (): never => {
  throw new Error('no use');
};

describe('whenReady', () => {
  it('uses what is at hand at once', () => {
    expect(whenReady(2, double)).toBe(4);
  });

  it('uses what comes later when it comes', async () => {
    await expect(whenReady(Promise.resolve(2), double)).resolves.toBe(4);
  });

  it('throws at once what the use of a value at hand throws', () => {
    expect(() => whenReady(2, failing, () => 0)).toThrow('no use');
  });

  it('hands on why a value does not come, but not what its use throws', async () => {
    const fail = (error: unknown): string => (error as Error).message;
    await expect(whenReady(Promise.reject(new Error('gone')), String, fail)).resolves.toBe('gone');
    await expect(whenReady(Promise.resolve(2), failing, fail)).rejects.toThrow('no use');
    await expect(whenReady(Promise.reject(new Error('gone')), String)).rejects.toThrow('gone');
  });
});
