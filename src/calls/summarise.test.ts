import { describe, expect, it } from 'vitest';
import { makeOutcome, type OutcomeFacts } from '../../test/support/call-outcome.ts';
import { ERROR_TABLE, type ErrorCode, GatewayError } from '../platform/kernel/error.ts';
import { describeOmitted, summariseFailure, summariseOutcome } from './summarise.ts';
import { CallFailure } from './tool-call.ts';

const URL = 'https://sky.example:8443/now?at=a/b';
const outcome = (facts: OutcomeFacts = {}) => makeOutcome({ url: URL, ...facts });

describe('the summary of a successful response', () => {
  it.each([
    ['MISS', 'fetched now'],
    ['BYPASS', 'fetched now'],
    ['HIT', 'from the cache'],
    ['COALESCED', 'fetched now, together with an identical call'],
    ['STALE', 'an older response, because the source is failing'],
  ] as const)('says how fresh the response is: %s', (cacheStatus, freshness) => {
    expect(summariseOutcome(outcome({ cacheStatus }))).toBe(
      `sky_now: a response from Sky at sky.example:8443, ${freshness}.`,
    );
  });

  const ok = { code: '00', message: 'OK' };
  const none = { code: '03', message: 'Unknown public-data error (03)' };
  it.each<[OutcomeFacts, string]>([
    [{ rows: 0 }, '0 rows'],
    [{ rows: 0, publicData: ok }, '0 rows'],
    [{ rows: 0, publicData: none }, 'no rows: nothing was found'],
    [{ rows: 1, publicData: ok }, '1 row'],
    [{ rows: 2, shownRows: { returned: 2, omitted: 0, total: 9 } }, '2 rows'],
    [{ rows: 2, shownRows: { returned: 2, omitted: 1, total: null } }, '2 of 3 rows'],
    [{ publicData: ok }, 'a response'],
  ])('counts the rows of %j', (more, amount) => {
    expect(summariseOutcome(outcome(more))).toBe(
      `sky_now: ${amount} from Sky at sky.example:8443, fetched now.`,
    );
  });
});

describe('the summary of a response that reports a failure', () => {
  const failed = (status: number, publicData?: OutcomeFacts['publicData']) =>
    summariseOutcome(
      outcome({
        isError: true,
        url: 'https://sky.example/now',
        status,
        publicData,
      }),
    );
  const LATER = 'The same call may work later.';
  const CHECK = 'Check the arguments; its response follows.';

  it.each([
    [200, CHECK],
    [400, CHECK],
    [404, CHECK],
    [429, LATER],
    [500, LATER],
    [503, LATER],
  ])('says what to do about status %i', (status, advice) => {
    expect(failed(status)).toBe(
      `sky_now failed: Sky at sky.example responded with HTTP ${status}. ${advice}`,
    );
  });

  it.each([
    [{ code: '30', message: 'Unregistered service key' }, '30: Unregistered service key.'],
    [{ code: '99', message: 'What?', hint: 'Ask again' }, '99: What? Ask again.'],
    [{ code: '22', message: 'Too many.', hint: 'Wait!' }, '22: Too many. Wait!'],
  ])('explains the result code in complete sentences: %j', (publicData, explanation) => {
    expect(failed(200, publicData)).toBe(
      `sky_now failed: Sky at sky.example refused with code ${explanation}`,
    );
  });

  it('prefers the HTTP status to the result code', () => {
    expect(failed(500, { code: '01', message: 'Application error' })).toContain('HTTP 500');
  });
});

describe('the summary of a call without a response', () => {
  const codes = Object.keys(ERROR_TABLE) as ErrorCode[];
  const suggestsRetry = (code: ErrorCode) =>
    ERROR_TABLE[code].retryable && code !== 'rate_limited' && code !== 'cancelled';

  it.each(codes.filter(suggestsRetry))('says that a retry may help after %s', (code) => {
    const { message } = ERROR_TABLE[code];
    expect(summariseFailure('sky_now', new GatewayError(code))).toBe(
      `sky_now failed: ${message} The same call may work later.`,
    );
  });

  it.each(codes.filter((code) => !suggestsRetry(code) && code !== 'invalid_arguments'))(
    'adds no advice to the message of %s',
    (code) => {
      expect(summariseFailure('sky_now', new GatewayError(code, 'It failed.'))).toBe(
        'sky_now failed: It failed.',
      );
    },
  );

  it('names the tool only once', () => {
    const error = new GatewayError('invalid_arguments', 'sky_now: /n must be a number.');
    const line = 'sky_now failed: /n must be a number. Correct the arguments and call again.';
    expect(summariseFailure('sky_now', error)).toBe(line);
    expect(summariseFailure('sky_now', new CallFailure('aud_1', 'sky_now', error))).toBe(line);
    expect(summariseFailure('sky', error)).toContain('sky failed: sky_now: /n');
  });

  it('does not disclose what foreign code throws', () => {
    for (const thrown of [new Error('secret path'), 'secret path', undefined]) {
      expect(summariseFailure('sky_now', thrown)).toBe(
        `sky_now failed: ${ERROR_TABLE.internal.message} The same call may work later.`,
      );
    }
  });
});

describe('the note on omitted rows', () => {
  it('says how to get them, and is empty if no rows are omitted', () => {
    const shown = { returned: 1, omitted: 1, total: 2 };
    const hint = 'A larger _limit shows more.';
    expect(describeOmitted(outcome({ shownRows: { ...shown, hint } }))).toBe(hint);
    expect(describeOmitted(outcome({ shownRows: { ...shown, omitted: 0 } }))).toBe('');
    expect(describeOmitted(outcome())).toBe('');
  });
});
