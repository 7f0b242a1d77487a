import { describe, expect, test } from 'vitest';
import { causesOf, decodeSearch, filterOf, isFiltered, withOutcome } from './audit-search.ts';

describe('the address of the audit log', () => {
  test('keeps every filter', () => {
    const search = {
      tool: 'a',
      status: 'error',
      origin: 'key',
      cause: 'quota',
      error: 'upstream_timeout',
      upstreamStatus: '5xx',
      key: 'key_1',
      client: 'curl',
      cacheStatus: 'HIT',
      requestId: 'req_1',
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-02T00:00:00Z',
      last: '7d',
      record: 'aud_1',
    };
    expect(decodeSearch(search)).toEqual(search);
  });

  test('leaves out what the gateway would refuse', () => {
    const search = {
      tool: 'x'.repeat(201),
      status: 'good',
      origin: 'ok',
      cause: 'none',
      client: '',
      from: 'yesterday',
      last: '2h',
      requestId: 7,
      page: 1,
      key: ['a'],
    };
    expect(decodeSearch(search)).toEqual({ requestId: '7' });
  });

  test('shows the last 24 hours unless it says otherwise', () => {
    const now = Date.parse('2026-01-02T10:00:30Z');
    expect(filterOf({}, now)).toEqual({ from: '2026-01-01T10:00:00.000Z' });
    expect(filterOf({ last: 'all', tool: 'a', record: 'aud_1' }, now)).toEqual({ tool: 'a' });
    expect(filterOf({ last: '1h', to: '2026-01-01T00:00:00Z' }, now)).toEqual({
      to: '2026-01-01T00:00:00Z',
    });
  });

  test('offers the causes that calls with the outcome may have', () => {
    expect(causesOf('ok')).toEqual(['no_data']);
    expect(causesOf('key')).toEqual(['operator_key', 'not_approved', 'quota']);
    expect(causesOf('gateway')).toEqual(['gateway']);
    expect(causesOf('failed')).toEqual(causesOf(undefined));
    expect(withOutcome('ok', { cause: 'quota' })).toEqual({ status: 'ok' });
    expect(withOutcome('key', { cause: 'quota', status: 'ok' })).toEqual({
      origin: 'key',
      cause: 'quota',
    });
  });

  test('knows whether anything is filtered', () => {
    expect(isFiltered({ last: '1h', record: 'aud_1' })).toBe(false);
    expect(isFiltered({ tool: 'a' })).toBe(true);
  });
});
