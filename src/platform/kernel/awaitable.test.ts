import { describe, expect, it } from 'vitest';
import { whenReady } from './awaitable.ts';

const double = (value: number): number => value * 2;
const failing = (): never => {
  throw new Error('no use');
};

describe('whenReady', () => {
  it('uses an available value immediately', () => {
    expect(whenReady(2, double)).toBe(4);
  });

  it('uses a promised value when it resolves', async () => {
    await expect(whenReady(Promise.resolve(2), double)).resolves.toBe(4);
  });

  it('throws synchronously what the use of an available value throws', () => {
    expect(() => whenReady(2, failing, () => 0)).toThrow('no use');
  });

  it('passes a rejection to the handler, but not what the use of the value throws', async () => {
    const fail = (error: unknown): string => (error as Error).message;
    await expect(whenReady(Promise.reject(new Error('gone')), String, fail)).resolves.toBe('gone');
    await expect(whenReady(Promise.resolve(2), failing, fail)).rejects.toThrow('no use');
    await expect(whenReady(Promise.reject(new Error('gone')), String)).rejects.toThrow('gone');
  });
});
