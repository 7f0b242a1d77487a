import { expect, it, vi } from 'vitest';
import { createCallerLimiter } from './caller-limiter.ts';
import { toDecision } from './limit-decision.ts';
import { createRateLimiter } from './rate-limiter.ts';

const makeLimiter = (limitPerMinute = 2) => {
  const consumeDay = vi.fn((_id: string, _points: number, limit: number) =>
    toDecision(limit > 1, limit, limit - 1, 1000),
  );
  const rateLimiter = createRateLimiter({ limitPerMinute });
  const limiter = createCallerLimiter({ rateLimiter, dailyLimiter: { consume: consumeDay } });
  return { limiter, consumeDay };
};

it("applies the gateway's limit to a key without limits of its own, at once and without a daily count", () => {
  const { limiter, consumeDay } = makeLimiter();
  expect(limiter.consume({ apiKeyId: 'key' })).toMatchObject({ limit: 2, remaining: 1 });
  expect(limiter.consume({ apiKeyId: 'key' })).not.toHaveProperty('day');
  expect(consumeDay).not.toHaveBeenCalled();
});

it('applies the limit per minute of a key', () => {
  const { limiter } = makeLimiter();
  const caller = { apiKeyId: 'key', limits: { rateLimitPerMinute: 1, dailyLimit: null } };
  expect(limiter.consume(caller)).toMatchObject({ allowed: true, limit: 1 });
  expect(limiter.consume(caller)).toMatchObject({ allowed: false, limit: 1 });
});

it('lets the day refuse what the minute admits, and does not count for the day what the minute refuses', () => {
  const { limiter, consumeDay } = makeLimiter();
  const caller = { apiKeyId: 'key', limits: { rateLimitPerMinute: null, dailyLimit: 1 } };
  const refused = limiter.consume(caller, 2);
  expect(refused).toMatchObject({ allowed: false, limit: 2, retryAfterSeconds: 1 });
  expect(refused).toMatchObject({ day: { allowed: false, limit: 1 } });
  expect(limiter.consume(caller)).not.toHaveProperty('day');
  expect(consumeDay).toHaveBeenCalledExactlyOnceWith('key', 2, 1);
});

it('applies a daily limit where the gateway has no limit', () => {
  const { limiter } = makeLimiter(0);
  const caller = { apiKeyId: 'key', limits: { rateLimitPerMinute: null, dailyLimit: 3 } };
  expect(limiter.consume(caller)).toMatchObject({ allowed: true, limit: 0, day: { remaining: 2 } });
});
