import { beforeEach, describe, expect, it } from 'vitest';
import {
  createClientDocuments,
  isKnownDocument,
  MAX_FETCHES,
  MAX_KNOWN_DOCUMENTS,
} from './client-documents.ts';

const ID = 'https://host.example/oauth/client.json';
const DOCUMENT = {
  client_id: ID,
  client_name: 'A host',
  redirect_uris: ['https://host.example/cb'],
};

describe('documents of clients', () => {
  let now = 1_764_000_000_000;
  let served: unknown = DOCUMENT;
  let asked: string[] = [];
  let last: string | undefined;
  const make = (fetchJson = fetchServed) =>
    createClientDocuments({ fetchJson, clock: { now: () => now }, lastGood: async () => last });
  const fetchServed = async (url: string, maxBytes: number): Promise<unknown> => {
    expect(maxBytes).toBe(5 * 1024);
    asked.push(url);
    if (served instanceof Error) throw served;
    return served;
  };
  beforeEach(() => {
    served = DOCUMENT;
    asked = [];
    last = undefined;
  });

  it('says who publishes the document', async () => {
    const client = await make()(ID);
    expect(client).toMatchObject({
      key: ID,
      name: 'A host',
      identity: { kind: 'verified', host: 'host.example' },
      redirectUris: ['https://host.example/cb'],
      methods: ['none'],
    });
  });

  it('has copies of those of well-known hosts, which are never fetched', async () => {
    const find = make();
    const code = await find('https://claude.ai/oauth/claude-code-client-metadata');
    expect(code).toMatchObject({ name: 'Claude Code', methods: ['none'] });
    const chat = await find('https://chatgpt.com/oauth/tU1UVEq8rRTK/client.json');
    expect(chat).toMatchObject({
      name: 'ChatGPT',
      redirectUris: ['https://chatgpt.com/connector/oauth/tU1UVEq8rRTK'],
      methods: ['none', 'private_key_jwt'],
      keysUri: 'https://chatgpt.com/oauth/jwks.json',
    });
    expect(asked).toEqual([]);
    expect(isKnownDocument('https://chatgpt.com.evil.example/oauth/x/client.json')).toBe(false);
    expect(isKnownDocument('https://chatgpt.com/oauth/../x/client.json')).toBe(false);
  });

  it.each([
    'https://host.example',
    'https://host.example/',
    'http://host.example/client.json',
    'https://user@host.example/client.json',
    'https://host.example/client.json#x',
    'https://host.example/a/../client.json',
    'https://HOST.example/client.json',
    `https://host.example/${'x'.repeat(500)}`,
  ])('refuses the address %s', async (id) => {
    await expect(make()(id)).rejects.toThrow('A client id that is an address');
    expect(asked).toEqual([]);
  });

  it.each([
    ['another client', { ...DOCUMENT, client_id: `${ID}?x` }, 'not about this client'],
    ['no client', { redirect_uris: DOCUMENT.redirect_uris }, 'not about this client'],
    ['no object', ['x'], 'not about this client'],
    ['no redirect', { client_id: ID }, 'redirect_uris is a list'],
    [
      'a bad redirect',
      { ...DOCUMENT, redirect_uris: ['javascript:alert(1)'] },
      'A redirect address is https',
    ],
    [
      'a secret',
      { ...DOCUMENT, token_endpoint_auth_method: 'client_secret_post' },
      'names no method',
    ],
    [
      'keys that are missing',
      { ...DOCUMENT, token_endpoint_auth_method: 'private_key_jwt' },
      'names no method',
    ],
    [
      'keys within it',
      { ...DOCUMENT, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } },
      'names no method',
    ],
  ])('refuses a document with %s', async (_name, document, message) => {
    served = document;
    const refusal = make()(ID);
    await expect(refusal).rejects.toThrow(message);
    await expect(refusal).rejects.toMatchObject({ oauthCode: 'invalid_client' });
  });

  it('fetches it again after an hour, and uses the old one while that fails', async () => {
    const find = make();
    await find(ID);
    await find(ID);
    expect(asked).toHaveLength(1);
    now += 60 * 60_000;
    served = { ...DOCUMENT, client_name: 'Renamed' };
    expect((await find(ID)).name).toBe('Renamed');
    now += 60 * 60_000;
    served = new Error('away');
    expect((await find(ID)).name).toBe('Renamed');
  });

  it('asks an address that failed again after half a minute', async () => {
    const find = make();
    served = new Error('away');
    for (let i = 0; i < 3; i++) await expect(find(ID)).rejects.toThrow('could not be fetched');
    expect(asked).toHaveLength(1);
    last = JSON.stringify({ ...DOCUMENT, client_name: 'As it was' });
    expect((await find(ID)).name).toBe('As it was');
    now += 30_000;
    served = DOCUMENT;
    expect((await find(ID)).name).toBe('A host');
  });

  it('fetches so many at once, and remembers so many', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const find = make(async (url) => {
      await promise;
      return { ...DOCUMENT, client_id: url };
    });
    const all = Array.from({ length: MAX_FETCHES }, (_, i) => find(`${ID}?${i}`));
    await expect(find(`${ID}?more`)).rejects.toThrow('Too many documents');
    resolve();
    expect(await Promise.all(all)).toHaveLength(MAX_FETCHES);
    const counting = make(async (url) => {
      asked.push(url);
      return { ...DOCUMENT, client_id: url };
    });
    for (let i = 0; i <= MAX_KNOWN_DOCUMENTS; i++) await counting(`${ID}?${i}`);
    await counting(`${ID}?1`);
    expect(asked).toHaveLength(MAX_KNOWN_DOCUMENTS + 1);
    await counting(`${ID}?0`);
    expect(asked).toHaveLength(MAX_KNOWN_DOCUMENTS + 2);
  });
});
