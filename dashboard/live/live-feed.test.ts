import { describe, expect, test } from 'vitest';
import type { LiveCall } from '../../src/dialects/admin/live-calls.ts';
import { addBatch, EMPTY_FEED, MAX_CALLS, matches } from './live-feed.ts';

const call = (n: number, more: Partial<LiveCall> = {}): LiveCall => ({
  auditId: `aud_${n}`,
  at: '2026-01-01T00:00:00Z',
  tool: 'weather_now',
  apiKeyId: 'key_a',
  clientName: null,
  dialect: 'plain',
  outcome: 'ok',
  error: null,
  upstreamStatus: 200,
  cacheStatus: 'MISS',
  durationMs: 1,
  ...more,
});

describe('the live feed', () => {
  test('shows the newest calls first, and keeps 500', () => {
    let feed = addBatch(EMPTY_FEED, { calls: [call(1), call(2)], dropped: 0 }, false);
    expect(feed.calls.map(({ auditId }) => auditId)).toEqual(['aud_2', 'aud_1']);
    const many = Array.from({ length: 100 }, (_, n) => call(n + 10));
    for (let round = 0; round < 6; round++)
      feed = addBatch(feed, { calls: many, dropped: 3 }, false);
    expect(feed.calls).toHaveLength(MAX_CALLS);
    expect(feed.dropped).toBe(18);
  });

  test('counts what ends while it is paused', () => {
    const feed = addBatch(EMPTY_FEED, { calls: [call(1)], dropped: 2 }, true);
    expect(feed).toEqual({ calls: [], dropped: 2, whilePaused: 1 });
  });

  test('filters by tool, outcome and key', () => {
    const any = { tool: '', outcome: null, key: null };
    expect(matches(any)(call(1))).toBe(true);
    expect(matches({ ...any, tool: ' Weather ' })(call(1))).toBe(true);
    expect(matches({ ...any, tool: 'forecast' })(call(1))).toBe(false);
    expect(matches({ ...any, outcome: 'error' })(call(1))).toBe(false);
    expect(matches({ ...any, key: 'key_a', outcome: 'ok' })(call(1))).toBe(true);
  });
});
