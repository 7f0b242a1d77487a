import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '../keys/api-key-record.ts';
import { authenticateClient } from './client-authentication.ts';
import { createKeySets, MAX_KEY_SETS } from './key-sets.ts';
import type { OAuthClient } from './oauth-clients.ts';

const ID = 'https://chatgpt.com/oauth/x/client.json';
const ISSUER = 'https://gateway.example';
const KEYS_AT = 'https://chatgpt.com/oauth/jwks.json';
const NOW = 1_764_000_000_000;
const SECONDS = NOW / 1000;
const REFUSED = { oauthCode: 'invalid_client' };

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

describe('clients that prove who they are', () => {
  let now = NOW;
  let key: Keys;
  let other: Keys;
  let published: object[] = [];
  let fetched: string[] = [];
  const shown = new Map<string, number>();
  const client: OAuthClient = {
    key: ID,
    name: 'ChatGPT',
    identity: { kind: 'verified', host: 'chatgpt.com' },
    redirectUris: [],
    methods: ['private_key_jwt'],
    secretDigest: undefined,
    keysUri: KEYS_AT,
  };
  const clock = { now: () => now };
  const makeDeps = (found: OAuthClient = client) => ({
    findClient: async () => found,
    keySets: createKeySets({
      fetchJson: async (url, maxBytes) => {
        expect(maxBytes).toBe(64 * 1024);
        fetched.push(url);
        return { keys: published };
      },
      clock,
    }),
    clock,
    audiences: () => [ISSUER, `${ISSUER}/token`],
    rememberAssertion: async (digest: string, expiresAtMs: number) => {
      if (shown.has(digest)) return false;
      shown.set(digest, expiresAtMs);
      return true;
    },
  });
  let deps = makeDeps();

  beforeAll(async () => {
    [key, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  });
  beforeEach(async () => {
    now = NOW;
    published = [{ ...(await exportJWK(key.publicKey)), kid: 'one', alg: 'RS256' }];
    fetched = [];
    shown.clear();
    deps = makeDeps();
  });

  const sign = (
    claims: Record<string, unknown> = {},
    { kid = 'one', by = key } = {},
  ): Promise<string> =>
    new SignJWT({
      iss: ID,
      sub: ID,
      aud: `${ISSUER}/token`,
      exp: SECONDS + 60,
      jti: 'one',
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid })
      .sign(by.privateKey);
  const formOf = (assertion: string, more: Record<string, string> = {}) =>
    new Map(
      Object.entries({
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
        ...more,
      }),
    );
  const authenticate = (assertion: string, more?: Record<string, string>) =>
    authenticateClient(deps, formOf(assertion, more), undefined);

  it('takes an assertion, once', async () => {
    const assertion = await sign();
    expect(await authenticate(assertion)).toBe(client);
    await expect(authenticate(assertion)).rejects.toMatchObject(REFUSED);
    expect(await authenticate(await sign({ jti: 'two', aud: ISSUER }))).toBe(client);
    expect(fetched).toEqual([KEYS_AT]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['another audience', { aud: 'https://other.example/token' }],
    ['no audience', { aud: undefined }],
    ['another issuer', { iss: 'https://chatgpt.com/oauth/y/client.json' }],
    ['another subject', { sub: 'https://chatgpt.com/oauth/y/client.json' }],
    ['no expiry', { exp: undefined }],
    ['an expiry that is over', { exp: SECONDS - 61 }],
    ['an expiry that is far away', { exp: SECONDS + 601 }],
    ['no id', { jti: undefined }],
  ])('refuses one with %s', async (_name, claims) => {
    await expect(authenticate(await sign(claims), { client_id: ID })).rejects.toMatchObject(
      REFUSED,
    );
    expect(shown.size).toBe(0);
  });

  it('refuses one that is signed with a secret, with another key, or not at all', async () => {
    const claims = { iss: ID, sub: ID, aud: ISSUER, exp: SECONDS + 60, jti: 'x' };
    const secret = new TextEncoder().encode(JSON.stringify(published[0]));
    const symmetric = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(secret);
    for (const assertion of [
      symmetric,
      new UnsecuredJWT(claims).encode(),
      await sign({}, { by: other }),
      `${(await sign()).slice(0, -4)}AAAA`,
      'not.a.jwt',
      'x'.repeat(9000),
    ]) {
      await expect(authenticate(assertion, { client_id: ID })).rejects.toMatchObject(REFUSED);
    }
    await expect(authenticate(await sign(), { client_id: `${ID}2` })).rejects.toMatchObject(
      REFUSED,
    );
    await expect(
      authenticate(await sign(), { client_assertion_type: 'other' }),
    ).rejects.toMatchObject(REFUSED);
    await expect(
      authenticateClient(deps, new Map([['client_id', ID]]), undefined),
    ).rejects.toMatchObject(REFUSED);
  });

  it('fetches keys again for an unknown one, at most every half a minute', async () => {
    await authenticate(await sign());
    published = [{ ...(await exportJWK(other.publicKey)), kid: 'two', alg: 'RS256' }];
    const withNew = () => sign({ jti: crypto.randomUUID() }, { kid: 'two', by: other });
    for (let i = 0; i < 5; i++)
      await expect(authenticate(await withNew())).rejects.toMatchObject(REFUSED);
    expect(fetched).toHaveLength(1);
    now += 30_000;
    expect(await authenticate(await withNew())).toBe(client);
    expect(fetched).toHaveLength(2);
  });

  it('remembers the keys of so many addresses', async () => {
    const keySets = deps.keySets;
    const expected = { issuer: ID, subject: ID, audience: ISSUER };
    const assertion = await sign({ aud: ISSUER });
    for (let i = 0; i <= MAX_KEY_SETS; i++) {
      await keySets.verify(assertion, `${KEYS_AT}?${i}`, expected);
    }
    await keySets.verify(assertion, `${KEYS_AT}?0`, expected);
    expect(fetched).toHaveLength(MAX_KEY_SETS + 2);
  });

  it('needs no proof of a client without a secret, and the right secret of one with a secret', async () => {
    const open: OAuthClient = { ...client, methods: ['none', 'private_key_jwt'] };
    deps = makeDeps(open);
    expect(await authenticateClient(deps, new Map([['client_id', ID]]), undefined)).toBe(open);
    const secret = 'tg_cs_x';
    deps = makeDeps({
      ...client,
      methods: ['client_secret_basic'],
      secretDigest: digestOf(secret),
    });
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    const id = encodeURIComponent(ID);
    expect(await authenticateClient(deps, new Map(), basic(`${id}:${secret}`))).toBeTruthy();
    for (const wrong of [basic(`${id}:`), basic(id), basic(`${id}:wrong`), 'Bearer x', undefined]) {
      const form = new Map([['client_id', ID]]);
      await expect(authenticateClient(deps, form, wrong)).rejects.toMatchObject(REFUSED);
    }
  });
});
