import type { OAuthClientProvider } from 'sdk-1.32/client/auth.js';
import { Client } from 'sdk-1.32/client/index.js';
import { SSEClientTransport } from 'sdk-1.32/client/sse.js';
import { StreamableHTTPClientTransport } from 'sdk-1.32/client/streamableHttp.js';
import type { Transport as AnyTransport } from 'sdk-1.32/shared/transport.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_ENV, signIn } from '../../support/admin-client.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { REDIRECT } from '../../support/oauth-host.ts';
import type { McpSession } from '../support/mcp-session.ts';
import { sessionOf } from '../support/typescript-sdk-1.ts';
import { CHOSEN_TOOL, OTHER_TOOL, type Person, startPerson } from './person.ts';

/** Longer than an access token lives, and shorter than a refresh token. */
const HOURS_2 = 2 * 60 * 60_000;

let aheadMs = 0;
let gateway: TestGateway;
let person: Person;
beforeAll(async () => {
  gateway = await startTestGateway({
    env: { ...ADMIN_ENV, OAUTH: 'on', ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') },
    clock: { now: () => Date.now() + aheadMs },
  });
  person = await startPerson();
});
afterEach(() => expect(person.failures).toEqual([]));
afterAll(async () => {
  await person?.close();
  await gateway?.close();
});

/** What the person chose is listed and can be called, and nothing else is listed. */
async function expectChosenTools(session: McpSession): Promise<void> {
  const names = (await session.listTools()).map(({ name }) => name);
  expect(names).toContain(CHOSEN_TOOL);
  expect(names).not.toContain(OTHER_TOOL);
  const { isError = false, content } = await session.callTool(CHOSEN_TOOL, {});
  expect({ isError, text: content[0]?.['text'] }).toEqual({
    isError: false,
    text: expect.stringMatching(new RegExp(`^${CHOSEN_TOOL}: `)),
  });
}

/** The person ends what this host may do. */
async function disconnect(name: string): Promise<void> {
  const browser = await signIn(gateway);
  const { body } = await browser.ask('GET /me/apps');
  const app = body.apps.find((each: { name: string }) => each.name === name);
  expect(await browser.ask(`DELETE /me/apps/${app?.id}`)).toMatchObject({ status: 204 });
}

describe.each([
  { name: 'SDK 1.32', path: '/mcp', Transport: StreamableHTTPClientTransport },
  { name: 'SDK 1.32 SSE', path: '/mcp/sse', Transport: SSEClientTransport },
])('$name', ({ name, path, Transport }) => {
  test('signs in after a 401, refreshes an expired token, and asks again once it is disconnected', async () => {
    const host = createProvider(name);
    const url = new URL(`${gateway.url}${path}`);
    const transport = () => new Transport(url, { authProvider: host.provider });
    const connect = async (): Promise<McpSession> => {
      const client = new Client({ name, version: '1.0.0' });
      await client.connect(transport() as AnyTransport);
      return sessionOf(client);
    };
    await expect(connect()).rejects.toThrow('Unauthorized');
    const asked = host.addresses();
    expect(asked).toHaveLength(1);
    const { searchParams } = await person.allow(String(asked[0]));
    await transport().finishAuth(searchParams.get('code') ?? '');
    const session = await connect();
    await expectChosenTools(session);

    const before = host.tokens();
    aheadMs += HOURS_2;
    await expectChosenTools(session);
    const after = host.tokens();
    expect(after.access_token).not.toBe(before.access_token);
    expect(after.refresh_token).not.toBe(before.refresh_token);
    expect(host.addresses()).toHaveLength(1);

    await session.close();
    await disconnect(name);
    await expect(connect()).rejects.toThrow('Unauthorized');
    expect(host.addresses()).toHaveLength(2);
  });
});

/** The part of the SDK that an application writes: it stores what the SDK gives it. */
function createProvider(name: string) {
  const stored: Record<string, unknown> = {};
  const addresses: URL[] = [];
  const store = (member: string) => (value: unknown) => {
    stored[member] = value;
  };
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT,
    clientMetadata: {
      client_name: name,
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => stored['client'] as never,
    saveClientInformation: store('client'),
    tokens: () => stored['tokens'] as never,
    saveTokens: store('tokens'),
    redirectToAuthorization: (address) => void addresses.push(address),
    saveCodeVerifier: store('verifier'),
    codeVerifier: () => String(stored['verifier']),
    invalidateCredentials: () => void delete stored['tokens'],
  };
  return {
    provider,
    /** The addresses to which the person was sent. */
    addresses: () => addresses,
    tokens: () => stored['tokens'] as { access_token: string; refresh_token: string },
  };
}
