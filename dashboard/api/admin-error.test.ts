import { describe, expect, test } from 'vitest';
import { decodeRefusal, unreachable } from './admin-error.ts';

describe('decodeRefusal', () => {
  test('reads a refusal of the admin API', () => {
    const body = { error: { code: 'conflict', message: 'The name is taken.' } };
    const error = decodeRefusal(409, body, 'req_1');
    expect(error).toMatchObject({
      status: 409,
      code: 'conflict',
      message: 'The name is taken.',
      requestId: 'req_1',
    });
  });

  test('reads a refusal of other addresses', () => {
    const error = decodeRefusal(404, { error: 'Not Found', message: 'Nothing here.' }, null);
    expect(error).toMatchObject({ code: 'Not Found', message: 'Nothing here.' });
  });

  test.each([null, 'text', [], {}])('has a message for %j', (body) => {
    expect(decodeRefusal(502, body, null).message).toBe('The gateway answered with status 502.');
  });

  test('knows what a retry may help', () => {
    expect(unreachable().isRetryable).toBe(true);
    expect(decodeRefusal(503, null, null).isRetryable).toBe(true);
    expect(decodeRefusal(404, null, null).isRetryable).toBe(false);
  });
});
