import { describe, expect, test } from 'vitest';
import { decodeRefusal, unreachable } from './admin-error.ts';

const answer = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers: new Headers(headers),
});

describe('decodeRefusal', () => {
  test('reads the code and the message of a refusal', () => {
    const headers = { 'x-error-code': 'conflict', 'x-request-id': 'req_1' };
    const body = { error: 'Conflict', message: 'The name is taken.' };
    expect(decodeRefusal(answer(409, headers), body)).toMatchObject({
      status: 409,
      code: 'conflict',
      message: 'The name is taken.',
      requestId: 'req_1',
    });
  });

  test.each([null, 'text', [], {}])('has a message for %j', (body) => {
    const { code, message } = decodeRefusal(answer(502), body);
    expect({ code, message }).toEqual({
      code: '502',
      message: 'The gateway answered with status 502.',
    });
  });

  test('knows what a retry may help', () => {
    expect(unreachable().isRetryable).toBe(true);
    expect(decodeRefusal(answer(503), null).isRetryable).toBe(true);
    expect(decodeRefusal(answer(404), null).isRetryable).toBe(false);
  });
});
