import { expect, it } from 'vitest';
import { EMPTY_FORM, NO_AUTHENTICATION, toAuth, toRegistration } from './api-form.ts';

it('sends only the members of the chosen type', () => {
  const all = {
    ...NO_AUTHENTICATION,
    token: 't',
    username: 'u',
    password: 'p',
    keyName: 'k',
    tokenUrl: 'https://a',
    clientId: 'c',
    clientSecret: 's',
  };
  expect(toAuth({ ...all, type: 'none' })).toEqual({ type: 'none' });
  expect(toAuth({ ...all, type: 'bearer' })).toEqual({ type: 'bearer', token: 't' });
  expect(toAuth({ ...all, type: 'basic' })).toEqual({
    type: 'basic',
    username: 'u',
    password: 'p',
  });
  expect(toAuth({ ...all, type: 'api_key', in: 'query' })).toEqual({
    type: 'api_key',
    in: 'query',
    key_name: 'k',
    token: 't',
  });
  expect(toAuth({ ...all, type: 'oauth2_client_credentials' })).toEqual({
    type: 'oauth2_client_credentials',
    token_url: 'https://a',
    client_id: 'c',
    client_secret: 's',
  });
});

it('sends the chosen source only, and nothing for what is empty', () => {
  const source = { kind: 'address', url: ' https://a/b ', text: 'x', file: null } as const;
  expect(toRegistration(EMPTY_FORM)).toBeNull();
  expect(toRegistration({ ...EMPTY_FORM, name: ' A ', source })).toEqual({
    spec_url: 'https://a/b',
    name: 'A',
    auth: { type: 'none' },
  });
  const file = { name: 'a.json', bytes: 2, text: '{}' };
  expect(
    toRegistration({ ...EMPTY_FORM, source: { ...source, kind: 'file', file } }),
  ).toMatchObject({
    spec_raw: '{}',
  });
  expect(toRegistration({ ...EMPTY_FORM, source: { ...source, kind: 'file' } })).toBeNull();
});
