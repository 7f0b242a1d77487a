import { expect, test } from 'vitest';
import { loggableError } from './loggable-error.ts';

const hidden = [{ value: 'a/long key', name: 'key', in: 'query', prefix: '' }] as const;

test('an error is logged with its stack and causes, without secrets', () => {
  const cause = Object.assign(new Error('No such host.'), { url: '/?key=a%2Flong+key' });
  const error = new TypeError('Cannot send "a/long key".', { cause });
  const logged = loggableError(error, hidden);
  expect(logged).toMatchObject({ type: 'TypeError' });
  const text = JSON.stringify(logged);
  expect(text).toContain('Cannot send \\"REDACTED\\".');
  expect(text).toContain('loggable-error.test.ts');
  expect(text).not.toMatch(/long.key/);
});

test('a thrown value that is not an error is logged, too', () => {
  expect(loggableError('a/long key', hidden)).toBe('REDACTED');
  expect(loggableError(undefined, hidden)).toBeUndefined();
  expect(loggableError({ a: 1 }, undefined)).toEqual({ a: 1 });
});
