import { expect, it, vi } from 'vitest';
import { createCallerLimiter } from './caller-limiter.ts';
import { toDecision } from './limit-decision.ts';
import { createRateLimiter } from './rate-limiter.ts';

const makeLimiter = (limitPerMinute = 2, tenantLimitPerMinute = 0) => {
  const consumeDay = vi.fn((_id: string, _points: number, limit: number) =>
    toDecision(limit > 1, limit, limit - 1, 1000),
  );
  const rateLimiter = createRateLimiter({ limitPerMinute, tenantLimitPerMinute });
  const limiter = createCallerLimiter({ rateLimiter, dailyLimiter: { consume: consumeDay } });
  return { limiter, consumeDay };
};

it("applies the gateway's limit to a key without limits of its own, at once and without a daily count", () => {
  const { limiter, consumeDay } = makeLimiter();
  expect(limiter.consume({ tenantId: 'ten', apiKeyId: 'key' })).toMatchObject({
    limit: 2,
    remaining: 1,
  });
  expect(limiter.consume({ tenantId: 'ten', apiKeyId: 'key' })).not.toHaveProperty('day');
  expect(consumeDay).not.toHaveBeenCalled();
});

it('applies the limit per minute of a key', () => {
  const { limiter } = makeLimiter();
  const caller = {
    tenantId: 'ten',
    apiKeyId: 'key',
    limits: { rateLimitPerMinute: 1, dailyLimit: null },
  };
  expect(limiter.consume(caller)).toMatchObject({ allowed: true, limit: 1 });
  expect(limiter.consume(caller)).toMatchObject({ allowed: false, limit: 1 });
});

it('lets the day refuse what the minute admits, and does not count for the day what the minute refuses', () => {
  const { limiter, consumeDay } = makeLimiter();
  const caller = {
    tenantId: 'ten',
    apiKeyId: 'key',
    limits: { rateLimitPerMinute: null, dailyLimit: 1 },
  };
  const refused = limiter.consume(caller, 2);
  expect(refused).toMatchObject({ allowed: false, limit: 2, retryAfterSeconds: 1 });
  expect(refused).toMatchObject({ day: { allowed: false, limit: 1 } });
  expect(limiter.consume(caller)).not.toHaveProperty('day');
  expect(consumeDay).toHaveBeenCalledExactlyOnceWith('key', 2, 1);
});

it('applies a daily limit where the gateway has no limit', () => {
  const { limiter } = makeLimiter(0);
  const caller = {
    tenantId: 'ten',
    apiKeyId: 'key',
    limits: { rateLimitPerMinute: null, dailyLimit: 3 },
  };
  expect(limiter.consume(caller)).toMatchObject({ allowed: true, limit: 0, day: { remaining: 2 } });
});

it("applies the limit of the tenant to all of its keys together, with their own limits and the gateway's", () => {
  const { limiter, consumeDay } = makeLimiter(2, 3);
  const own = { rateLimitPerMinute: 9, dailyLimit: 5 };
  const tenantId = 'ten';
  expect(limiter.consume({ tenantId, apiKeyId: 'one' })).toMatchObject({ remaining: 1 });
  const second = limiter.consume({ tenantId, apiKeyId: 'two', limits: own }, 2);
  expect(second).toMatchObject({ allowed: true, isTenants: true, limit: 3, day: { limit: 5 } });
  const refused = limiter.consume({ tenantId, apiKeyId: 'two', limits: own });
  expect(refused).toMatchObject({ allowed: false, isTenants: true, limit: 3 });
  expect(refused).not.toHaveProperty('day');
  expect(consumeDay).toHaveBeenCalledOnce();
  expect(limiter.consume({ tenantId: 'other', apiKeyId: 'three' })).toMatchObject({
    allowed: true,
  });
});
