import { errors } from 'undici';
import { describe, expect, it } from 'vitest';
import { ERROR_TABLE, GatewayError } from '../../platform/kernel/error.ts';
import { toFailure } from './faults.ts';

const coded = (code: string): Error => Object.assign(new Error('foreign words'), { code });

/** Undici's errors, made with arguments that suit every one of their constructors. */
const undiciErrors = Object.entries(errors).map(([name, Kind]) => {
  const make = Kind as new (message: string, code: string, details: object) => Error;
  return [name, new make('foreign words', '', { headers: {}, data: {} })] as const;
});

describe('a foreign error', () => {
  it.each(undiciErrors)('%s of undici has words of our own', (_name, foreign) => {
    const { error } = toFailure(foreign, false);
    expect(error.message).not.toContain('foreign');
    expect(error.cause).toBe(foreign);
  });

  it.each([
    ['ECONNREFUSED', 'upstream_unreachable', 'unsent'],
    ['UND_ERR_CONNECT_TIMEOUT', 'upstream_unreachable', 'unsent'],
    ['ECONNRESET', 'upstream_unreachable', 'cut'],
    ['EHOSTUNREACH', 'upstream_unreachable', 'unknown'],
    ['CERT_HAS_EXPIRED', 'upstream_unreachable', 'unknown'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'upstream_unreachable', 'unknown'],
    ['UND_ERR_HEADERS_OVERFLOW', 'upstream_bad_payload', 'unknown'],
    ['HPE_INVALID_CONSTANT', 'upstream_bad_payload', 'unknown'],
    ['UND_ERR_BODY_TIMEOUT', 'upstream_timeout', 'unknown'],
    ['UND_ERR_DESTROYED', 'overloaded', 'unknown'],
    ['EMFILE', 'overloaded', 'unknown'],
    ['UND_ERR_INVALID_ARG', 'internal', 'unknown'],
    ['SOMETHING_NEW', 'upstream_unreachable', 'unknown'],
    ['constructor', 'upstream_unreachable', 'unknown'],
  ])('%s is %s, and the request is %s', (code, expected, fate) => {
    const failure = toFailure(coded(code), false);
    expect(failure.error.code).toBe(expected);
    expect(failure.fate).toBe(fate);
  });

  it('that cuts a connection in the middle of an answer says so, and leaves nothing to try again', () => {
    const { error, fate } = toFailure(coded('ECONNRESET'), true);
    expect(error.message).toBe('The upstream broke off in the middle of its answer.');
    expect(fate).toBe('unknown');
  });

  it('without a code is an unreachable upstream', () => {
    const { error } = toFailure(new Error('foreign words'), false);
    expect(error.message).toBe(ERROR_TABLE.upstream_unreachable.message);
  });
});

it('A GatewayError stays what it is', () => {
  const blocked = new GatewayError('upstream_blocked');
  expect(toFailure(blocked, false).error).toBe(blocked);
});

it('Every error of undici is in the table', () => {
  const unlisted = undiciErrors.filter(
    ([, foreign]) =>
      toFailure(foreign, false).error.message === ERROR_TABLE.upstream_unreachable.message,
  );
  expect(unlisted.map(([name]) => name)).toEqual([]);
});
