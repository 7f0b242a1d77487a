import { expect, it } from 'vitest';
import { causeOfError } from '../../calls/judge-response.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { ERROR_TABLE, type ErrorCode } from '../../platform/kernel/error-table.ts';
import { callCause, failureOrigin } from './failure-origin.ts';

const ofCode = (code: ErrorCode) =>
  failureOrigin('error', code, causeOfError(new GatewayError(code)));

it('who must act on a failure is decided for every code', () => {
  const codes = Object.keys(ERROR_TABLE) as ErrorCode[];
  const byOrigin = Object.groupBy(codes, (code) => ofCode(code) ?? 'none');
  expect(byOrigin).toMatchObject({
    key: ['missing_secret', 'quota_exhausted'],
    upstream: [
      'upstream_timeout',
      'upstream_unreachable',
      'upstream_circuit_open',
      'upstream_too_large',
      'upstream_bad_payload',
      'upstream_blocked',
    ],
    gateway: ['overloaded', 'unavailable', 'internal'],
  });
  expect(byOrigin.caller).toEqual(expect.arrayContaining(['invalid_arguments', 'cancelled']));
  expect(byOrigin.none).toBeUndefined();
});

it.each([
  ['arguments', 'caller'],
  ['no_data', 'caller'],
  ['operator_key', 'key'],
  ['not_approved', 'key'],
  ['quota', 'key'],
  ['rate', 'upstream'],
  ['upstream', 'upstream'],
  ['network', 'upstream'],
] as const)('a response that failed because of %s is for %s', (cause, origin) => {
  expect(failureOrigin('upstream_error', null, cause)).toBe(origin);
  expect(callCause('upstream_error', null, cause)).toBe(cause);
});

it('a failure without cause and code is the gateway, and a successful call has no origin', () => {
  expect(failureOrigin('error', null, null)).toBe('gateway');
  expect(callCause('error', 'cancelled', null)).toBe('cancelled');
  expect(failureOrigin('ok', null, 'no_data')).toBeNull();
  expect(callCause('ok', null, 'no_data')).toBe('no_data');
  expect(callCause('ok', null, null)).toBeNull();
});
