import { describe, expect, test } from 'vitest';
import type { LiveCall } from '../../src/dialects/admin/live-calls.ts';
import { addBatch, addRecent, EMPTY_FEED, MAX_CALLS, matches } from './live-feed.ts';

const call = (n: number, more: Partial<LiveCall> = {}): LiveCall => ({
  auditId: `aud_${n}`,
  at: '2026-01-01T00:00:00Z',
  tool: 'weather_now',
  apiKeyId: 'key_a',
  clientName: null,
  dialect: 'plain',
  outcome: 'ok',
  error: null,
  cause: null,
  upstreamStatus: 200,
  cacheStatus: 'MISS',
  durationMs: 1,
  ...more,
});

describe('the live feed', () => {
  test('shows the newest calls first, and keeps 500', () => {
    let feed = addBatch(EMPTY_FEED, { calls: [call(1), call(2)], dropped: 0 }, false);
    expect(feed.calls.map(({ auditId }) => auditId)).toEqual(['aud_2', 'aud_1']);
    for (let round = 1; round <= 6; round++) {
      const many = Array.from({ length: 100 }, (_, n) => call(round * 100 + n));
      feed = addBatch(feed, { calls: many, dropped: 3 }, false);
    }
    expect(feed.calls).toHaveLength(MAX_CALLS);
    expect(feed.dropped).toBe(18);
  });

  test('counts what ends while it is paused', () => {
    const feed = addBatch(EMPTY_FEED, { calls: [call(1)], dropped: 2 }, true);
    expect(feed).toEqual({ calls: [], dropped: 2, whilePaused: 1 });
  });

  test('opens with recorded calls, each once, whichever of stream and records is first', () => {
    const at = (n: number) => call(n, { at: `2026-01-01T00:00:0${n}Z` });
    const ids = ({ calls }: { calls: readonly LiveCall[] }) => calls.map(({ auditId }) => auditId);
    const expected = ['aud_4', 'aud_3', 'aud_2', 'aud_1'];
    const recent = [at(3), at(2), at(1)];
    const batch = { calls: [at(3), at(4)], dropped: 0 };
    expect(ids(addRecent(addBatch(EMPTY_FEED, batch, false), recent))).toEqual(expected);
    expect(ids(addBatch(addRecent(EMPTY_FEED, recent), batch, false))).toEqual(expected);
  });

  test('filters by tool, origin of the outcome and key', () => {
    const any = { tool: '', outcome: null, key: null };
    expect(matches(any)(call(1))).toBe(true);
    expect(matches({ ...any, tool: ' Weather ' })(call(1))).toBe(true);
    expect(matches({ ...any, tool: 'forecast' })(call(1))).toBe(false);
    const refused = call(2, { outcome: 'error', error: 'invalid_arguments', cause: 'arguments' });
    expect(matches({ ...any, outcome: 'caller' })(refused)).toBe(true);
    expect(matches({ ...any, outcome: 'upstream' })(refused)).toBe(false);
    expect(matches({ ...any, outcome: 'failed' })(refused)).toBe(true);
    expect(matches({ ...any, outcome: 'failed' })(call(1))).toBe(false);
    expect(matches({ ...any, outcome: 'caller' })(call(1))).toBe(false);
    expect(matches({ ...any, key: 'key_a', outcome: 'ok' })(call(1))).toBe(true);
  });
});
