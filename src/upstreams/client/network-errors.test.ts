import { errors } from 'undici';
import { describe, expect, it } from 'vitest';
import { ERROR_TABLE, GatewayError } from '../../platform/kernel/error.ts';
import { type Circumstances, toFailure as toFailureUnder } from './network-errors.ts';

const toFailure = (thrown: Error, circumstances: Partial<Circumstances> = {}) =>
  toFailureUnder(thrown, { responseStarted: false, isOfTenant: false, ...circumstances });

const coded = (code: string): Error => Object.assign(new Error('foreign text'), { code });

/** undici's errors, created with arguments that every one of their constructors accepts. */
const undiciErrors = Object.entries(errors).map(([name, Kind]) => {
  const make = Kind as new (message: string, code: string, details: object) => Error;
  return [name, new make('foreign text', '', { headers: {}, data: {} })] as const;
});

describe('a foreign error', () => {
  it.each(undiciErrors)('%s of undici has a message of the gateway', (_name, foreign) => {
    const { error } = toFailure(foreign);
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
  ])('%s is %s, and the delivery of the request is %s', (code, expected, delivery) => {
    const failure = toFailure(coded(code));
    expect(failure.error.code).toBe(expected);
    expect(failure.delivery).toBe(delivery);
  });

  it('that closes the connection during a response reports an incomplete response, which is not retried', () => {
    const { error, delivery } = toFailure(coded('ECONNRESET'), { responseStarted: true });
    expect(error.message).toBe(
      'The upstream closed the connection before its response was complete.',
    );
    expect(delivery).toBe('unknown');
  });

  it.each(['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH'])(
    '%s names the sandbox for the upstream of a preset, which it simulates, and not for one that a tenant chose',
    (code) => {
      const { message } = toFailure(coded(code)).error;
      expect(message).toMatch(/ Check .*the network of the gateway\. Started with --sandbox, /);
      const ofTenant = toFailure(coded(code), { isOfTenant: true }).error.message;
      expect(ofTenant).toMatch(/ Check .*the network of the gateway\.$/);
    },
  );

  it('without a code is an unreachable upstream', () => {
    const { error } = toFailure(new Error('foreign text'));
    expect(error.message).toBe(ERROR_TABLE.upstream_unreachable.message);
  });
});

it('A GatewayError is not mapped', () => {
  const blocked = new GatewayError('upstream_blocked');
  expect(toFailure(blocked).error).toBe(blocked);
});

it('Every error of undici has its own mapping', () => {
  const unlisted = undiciErrors.filter(
    ([, foreign]) => toFailure(foreign).error.message === ERROR_TABLE.upstream_unreachable.message,
  );
  expect(unlisted.map(([name]) => name)).toEqual([]);
});
