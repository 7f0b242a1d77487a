import { describe, expect, it } from 'vitest';
import { makeOutcome, type OutcomeFacts } from '../../../test/support/call-outcome.ts';
import { ADVICE, type Cause } from '../../platform/kernel/cause.ts';
import { ERROR_TABLE, type ErrorCode, GatewayError } from '../../platform/kernel/error.ts';
import { CallFailure } from '../tool-call.ts';
import { failureText, refusalText } from './headline.ts';

describe('the text of a response that reports a failure', () => {
  const failed = (facts: OutcomeFacts) => refusalText(makeOutcome({ isError: true, ...facts }));

  it.each(Object.keys(ADVICE) as Cause[])('says who must do what about %s', (cause) => {
    expect(failed({ status: 404, cause })).toBe(
      `sky_now failed: Sky responded with HTTP 404. ${ADVICE[cause]}`,
    );
  });

  it.each([
    [{ code: '30', message: 'Unregistered service key' }, '30: Unregistered service key.'],
    [{ code: '99', message: 'What?', hint: 'Ask again' }, '99: What? Ask again.'],
    [{ code: '22', message: 'Too many.', hint: 'Wait!' }, '22: Too many. Wait!'],
  ])('explains the result code in complete sentences: %j', (publicData, explanation) => {
    expect(failed({ publicData })).toContain(
      `sky_now failed: Sky refused with code ${explanation}`,
    );
  });

  it('repeats what the provider says', () => {
    expect(failed({ status: 400, cause: 'arguments', message: 'No such day' })).toBe(
      `sky_now failed: Sky responded with HTTP 400: No such day. ${ADVICE.arguments}`,
    );
  });

  it('names the code of a provider that is no public data', () => {
    expect(failed({ code: '020', message: 'Over the limit', cause: 'quota' })).toBe(
      `sky_now failed: Sky refused with code 020: Over the limit. ${ADVICE.quota}`,
    );
    expect(failed({ cause: 'upstream' })).toBe(
      `sky_now failed: Sky reports a failure. ${ADVICE.upstream}`,
    );
  });

  it('prefers the HTTP status to the result code', () => {
    const publicData = { code: '01', message: 'Application error' };
    expect(failed({ status: 500, publicData })).toContain('HTTP 500');
  });
});

describe('the text of a call without a response', () => {
  const codes = Object.keys(ERROR_TABLE) as ErrorCode[];
  const suggestsRetry = (code: ErrorCode) =>
    ERROR_TABLE[code].retryable && code !== 'rate_limited' && code !== 'cancelled';

  it.each(codes.filter(suggestsRetry))('says that a retry may help after %s', (code) => {
    const { message } = ERROR_TABLE[code];
    expect(failureText('sky_now', new GatewayError(code))).toBe(
      `sky_now failed: ${message} The same call may work later.`,
    );
  });

  it.each(codes.filter((code) => !suggestsRetry(code) && code !== 'invalid_arguments'))(
    'adds no advice to the message of %s',
    (code) => {
      expect(failureText('sky_now', new GatewayError(code, 'It failed.'))).toBe(
        'sky_now failed: It failed.',
      );
    },
  );

  it('names the tool only once', () => {
    const error = new GatewayError('invalid_arguments', 'sky_now: /n must be a number.');
    const line = 'sky_now failed: /n must be a number. Correct the arguments and call again.';
    expect(failureText('sky_now', error)).toBe(line);
    expect(failureText('sky_now', new CallFailure('aud_1', 'sky_now', error))).toBe(line);
    expect(failureText('sky', error)).toContain('sky failed: sky_now: /n');
  });

  it('does not disclose what foreign code throws', () => {
    for (const thrown of [new Error('secret path'), 'secret path', undefined]) {
      expect(failureText('sky_now', thrown)).toBe(
        `sky_now failed: ${ERROR_TABLE.internal.message} The same call may work later.`,
      );
    }
  });
});
