import { expect, it } from 'vitest';
import { ERROR_TABLE } from '../platform/kernel/error.ts';
import { failureOrigin } from './tally.ts';

const of = (error_code: string | null) => failureOrigin({ outcome: 'error', error_code });

it('of a failure is decided for every code', () => {
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
    gateway: ['missing_secret', 'overloaded', 'unavailable', 'internal'],
  });
  expect(byOrigin.caller).toContain('invalid_arguments');
  expect(byOrigin.caller).toContain('cancelled');
  expect(byOrigin['none']).toBeUndefined();
});

it('is the upstream if its response was an error, and the gateway without a code', () => {
  expect(failureOrigin({ outcome: 'upstream_error', error_code: null })).toBe('upstream');
  expect(of(null)).toBe('gateway');
  expect(failureOrigin({ outcome: 'ok', error_code: null })).toBeNull();
});
