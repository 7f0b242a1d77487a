import { expect, it } from 'vitest';
import { credentialBinding } from './origins.ts';

const origins = ['https://api.example.com'];
const shared = { secretName: 'credential', origins };

it('says where each kind of credential is sent', () => {
  const bearer = { in: 'header', name: 'authorization', prefix: 'Bearer ', ...shared };
  expect(credentialBinding({ type: 'bearer' }, origins)).toEqual(bearer);
  expect(credentialBinding({ type: 'basic' }, origins)).toEqual({ ...bearer, prefix: 'Basic ' });
  expect(credentialBinding({ type: 'api_key', in: 'query', keyName: 'k' }, origins)).toEqual({
    in: 'query',
    name: 'k',
    prefix: '',
    ...shared,
  });
});

it('sends nothing without a credential, and leaves tokens to the client of the API', () => {
  expect(credentialBinding({ type: 'none' }, origins)).toBeUndefined();
  const oauth = { tokenUrl: 'https://a.example/token', clientId: 'a', scope: null };
  expect(
    credentialBinding({ type: 'oauth2_client_credentials', ...oauth }, origins),
  ).toBeUndefined();
});
