import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client32 } from 'sdk-1.32/client/index.js';
import { StreamableHTTPClientTransport as HttpTransport32 } from 'sdk-1.32/client/streamableHttp.js';
import type { Transport as Transport32 } from 'sdk-1.32/shared/transport.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { keyHeader } from './support/mcp-session.ts';
import { connectSse12WithoutKeyOnStream } from './support/typescript-sdk-1.ts';

const CLIENT = { name: 'gateway-test', version: '1.0.0' };
const REDIRECT_URL = 'http://127.0.0.1:9/callback';

/** What a host that can sign in brings, without anything stored. `forgotten` names what it discards to try again. */
function createSignIn() {
  const forgotten: string[] = [];
  return {
    forgotten,
    redirectUrl: REDIRECT_URL,
    clientMetadata: { redirect_uris: [REDIRECT_URL] },
    clientInformation: () => undefined,
    saveClientInformation: () => undefined,
    tokens: () => undefined,
    saveTokens: () => undefined,
    redirectToAuthorization: () => undefined,
    saveCodeVerifier: () => undefined,
    codeVerifier: () => '',
    invalidateCredentials: (scope: string) => void forgotten.push(scope),
  };
}

let gateway: TestGateway;
beforeAll(async () => {
  // A wrong key would otherwise lead hosts to a browser.
  gateway = await startTestGateway({ env: { OAUTH: 'off' } });
});
afterAll(() => gateway.close());

type SignIn = ReturnType<typeof createSignIn>;
const optionsOf = (authProvider: SignIn) => ({
  authProvider,
  requestInit: { headers: keyHeader('tg_live_wrong') },
});

/** Release 1.12 does not read the body. */
const HOSTS: readonly (readonly [string, (url: URL, signIn: SignIn) => Promise<void>])[] = [
  [
    '@modelcontextprotocol/client 2.4',
    (url, signIn) =>
      new Client(CLIENT).connect(new StreamableHTTPClientTransport(url, optionsOf(signIn))),
  ],
  [
    '@modelcontextprotocol/sdk 1.32',
    (url, signIn) =>
      new Client32(CLIENT).connect(new HttpTransport32(url, optionsOf(signIn)) as Transport32),
  ],
];

test.each(HOSTS)('a host with %s that can sign in says how to send a key', async (_name, open) => {
  const signIn = createSignIn();
  const failure = await open(new URL(`${gateway.url}/mcp`), signIn).catch((error) => error);
  expect(String(failure)).toContain(
    'This gateway takes an API key: send it as x-api-key or Authorization: Bearer.',
  );
  expect(signIn.forgotten).toEqual([]);
});

test('SDK 1.12.0 over SSE is refused at once when it opens the stream without a key', async () => {
  await expect(connectSse12WithoutKeyOnStream(gateway)).rejects.toThrow(
    'SSE error: Non-200 status code (401)',
  );
});
