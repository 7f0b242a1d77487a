import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HiddenSecret } from '../tools/tool-connection.ts';
import { loggableError } from './log-call.ts';

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

describe('a foreign error', () => {
  const KEY = 'recognisable/key 1';
  const hidden: readonly HiddenSecret[] = [{ value: KEY, name: 'key', in: 'query', prefix: '' }];

  test('an error that is its own cause can be logged', () => {
    const error = new Error('Circular cause.');
    error.cause = error;
    const logged = loggableError(error, hidden);
    expect(logged).toMatchObject({ type: 'Error' });
    expect(JSON.stringify(logged)).toContain('Circular cause.');
  });

  test('an error with circular properties can be logged', () => {
    const socket: Record<string, unknown> = { path: `/?key=${KEY}`, bytes: 10n };
    socket['owner'] = { socket };
    const logged = loggableError(Object.assign(new Error('Broken.'), { socket }), hidden);
    expect(logged).toMatchObject({ message: 'Broken.', socket: { path: '/?key=REDACTED' } });
  });

  test('the errors inside an AggregateError are logged without secrets', () => {
    const error = new AggregateError([new Error(`GET /?key=${KEY}`), new Error('No route.')]);
    const text = JSON.stringify(loggableError(error, hidden));
    expect(text).toContain('GET /?key=REDACTED');
    expect(text).toContain('No route.');
    expect(text).not.toContain('recognisable');
  });

  test('a value without a JSON form is returned unchanged', () => {
    const nothing = () => undefined;
    expect(loggableError(nothing, hidden)).toBe(nothing);
  });

  test('a backslash before a percent-encoded secret does not hide it', () => {
    const message = `C:\\${encodeURIComponent(KEY)}`;
    expect(JSON.stringify(loggableError({ message }, hidden))).not.toContain('recognisable');
  });

  test('any value that foreign code throws is logged as JSON without secrets', () => {
    const withKey = fc
      .tuple(fc.string(), fc.constantFrom(KEY, encodeURIComponent(KEY), JSON.stringify(KEY)))
      .map(([text, key]) => `${text}${key}${text}`);
    const thrown = fc.oneof(
      withKey,
      fc.array(withKey),
      fc.dictionary(fc.oneof(withKey, fc.string()), withKey),
      withKey.map((message) => new TypeError(message)),
      withKey.map((message) => Object.assign(new Error('x'), { request: { path: message } })),
      withKey.map((message) => new Error('x', { cause: new Error(message) })),
    );
    fc.assert(
      fc.property(thrown, (value) => {
        expect(JSON.stringify(loggableError(value, hidden))).not.toContain('recognisable');
      }),
    );
  });
});
