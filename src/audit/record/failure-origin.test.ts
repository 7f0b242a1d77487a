import { expect, it } from 'vitest';
import { ERROR_TABLE } from '../../platform/kernel/error.ts';
import { failureOrigin } from './failure-origin.ts';

const of = (code: string | null) => failureOrigin('error', code);

it('the origin of a failure is decided for every code', () => {
  const byOrigin = Object.groupBy(Object.keys(ERROR_TABLE), (code) => of(code) ?? 'none');
  expect(byOrigin).toMatchObject({
    upstream: [
      'upstream_timeout',
      'upstream_unreachable',
      'upstream_circuit_open',
      'upstream_too_large',
      'upstream_bad_payload',
      'upstream_blocked',
    ],
    gateway: ['missing_secret', 'quota_exhausted', 'overloaded', 'unavailable', 'internal'],
  });
  expect(byOrigin.caller).toContain('invalid_arguments');
  expect(byOrigin.caller).toContain('cancelled');
  expect(byOrigin['none']).toBeUndefined();
});

it('the origin is the upstream if its response was an error, and the gateway without a code', () => {
  expect(failureOrigin('upstream_error', null)).toBe('upstream');
  expect(of(null)).toBe('gateway');
  expect(failureOrigin('ok', null)).toBeNull();
});
