import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Client as Client12 } from 'sdk-1.12/client/index.js';
import { StreamableHTTPClientTransport as HttpTransport12 } from 'sdk-1.12/client/streamableHttp.js';
import type { OAuthClientProvider } from 'sdk-1.32/client/auth.js';
import { Client as Client32 } from 'sdk-1.32/client/index.js';
import { SSEClientTransport as SseTransport32 } from 'sdk-1.32/client/sse.js';
import { StdioClientTransport } from 'sdk-1.32/client/stdio.js';
import { StreamableHTTPClientTransport as HttpTransport32 } from 'sdk-1.32/client/streamableHttp.js';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { signIn } from '../../support/admin-client.ts';
import { REDIRECT, registerHost } from '../../support/oauth-host.ts';
import { freePort } from '../../support/ports.ts';
import { makeDataDir, removeDir } from '../../support/temporary-dir.ts';
import type { Check } from '../conformance/suite.ts';
import { inspect } from '../support/inspector.ts';
import type { McpSession } from '../support/mcp-session.ts';
import { installedFile } from '../support/run-program.ts';
import { sessionOf } from '../support/typescript-sdk-1.ts';
import { CHOSEN_TOOL, describeSignIn, OTHER_TOOL, type SignIn, startSignIn } from './person.ts';

let place: SignIn;
beforeAll(async () => {
  place = await startSignIn();
});
afterEach(() => expect(place.person.failures.splice(0)).toEqual([]));
afterAll(() => place?.close());

/** What the person chose is listed and can be called, and nothing else is listed. */
async function expectChosenTools(
  session: Pick<McpSession, 'listTools' | 'callTool'>,
): Promise<void> {
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
  const browser = await signIn(place.gateway);
  const { body } = await browser.ask('GET /me/apps');
  const app = body.apps.find((each: { name: string }) => each.name === name);
  expect(await browser.ask(`DELETE /me/apps/${app?.id}`)).toMatchObject({ status: 204 });
}

const CLIENT = { name: 'gateway-test', version: '1.0.0' };

/** What the releases of SDK 1 have in common. Their types of arguments differ, and `never` fits all of them. */
interface Sdk {
  readonly name: string;
  readonly path: string;
  readonly Client: new (
    info: typeof CLIENT,
  ) => Parameters<typeof sessionOf>[0] & { connect(transport: never): Promise<void> };
  readonly Transport: new (
    url: URL,
    options: { authProvider: never },
  ) => { finishAuth(code: string): Promise<void> };
}

const SDKS: readonly Sdk[] = [
  { name: 'SDK 1.32', path: '/mcp', Client: Client32, Transport: HttpTransport32 },
  { name: 'SDK 1.32 SSE', path: '/mcp/sse', Client: Client32, Transport: SseTransport32 },
  // It knows the revision of 2025-03-26 only, and sends no resource and no scope.
  { name: 'SDK 1.12', path: '/mcp', Client: Client12, Transport: HttpTransport12 },
];

describeSignIn.each(SDKS)('$name', ({ name, path, Client, Transport }) => {
  test('signs in after a 401, refreshes an expired token, and asks again once it is disconnected', async () => {
    const host = createProvider(name);
    const url = new URL(`${place.gateway.url}${path}`);
    const transport = () => new Transport(url, { authProvider: host.provider as never });
    const connect = async (): Promise<McpSession> => {
      const client = new Client(CLIENT);
      await client.connect(transport() as never);
      return sessionOf(client);
    };
    await expect(connect()).rejects.toThrow('Unauthorized');
    const asked = host.addresses();
    expect(asked).toHaveLength(1);
    const { searchParams } = await place.person.allow(String(asked[0]));
    await transport().finishAuth(searchParams.get('code') ?? '');
    const session = await connect();
    await expectChosenTools(session);

    const before = host.tokens();
    place.letTokensExpire();
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

/** A directory that a program keeps from one start to the next. */
async function inHome<T>(use: (home: string) => Promise<T>): Promise<T> {
  const home = await makeDataDir();
  try {
    return await use(home);
  } finally {
    await removeDir(home);
  }
}

describeSignIn.each([
  { name: 'mcp-remote', path: '/mcp', strategy: 'http-only' },
  { name: 'mcp-remote SSE', path: '/mcp/sse', strategy: 'sse-only' },
])('$name', ({ path, strategy }) => {
  test('opens the browser once, refreshes an expired token, and remembers it for its next start', () =>
    inHome(async (home) => {
      const already = place.person.opened.length;
      const options = [String(await freePort()), '--transport', strategy];
      const open = () => openMcpRemote(home, [`${place.gateway.url}${path}`, ...options]);
      const session = await open();
      await expectChosenTools(session);
      place.letTokensExpire();
      await expectChosenTools(session);
      await session.close();

      const next = await open();
      await expectChosenTools(next);
      await next.close();
      expect(place.person.opened.slice(already)).toHaveLength(1);
    }));
});

/** mcp-remote as desktop hosts run it, without a key. */
async function openMcpRemote(home: string, args: readonly string[]): Promise<McpSession> {
  // By itself it waits for the person for 30 seconds, which a slow machine may need.
  const patience = ['--auth-timeout', '150'];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [installedFile('mcp-remote/dist/proxy.js'), ...args, ...patience],
    env: { HOME: home, ...place.person.env },
    stderr: 'pipe',
  });
  const log = text(transport.stderr as Readable);
  const client = new Client32(CLIENT);
  try {
    await client.connect(transport);
  } catch (error) {
    throw new Error(`mcp-remote failed: ${await log}`, { cause: error });
  }
  return sessionOf(client);
}

describeSignIn('Inspector CLI', () => {
  test('opens the browser for its first command, and refreshes an expired token for a later one', () =>
    inHome(async (home) => {
      const already = place.person.opened.length;
      const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
      const connection = ['--server-url', `${place.gateway.url}/mcp`, '--callback-url', callback];
      const inspector = inspect(connection, { HOME: home, ...INSPECTOR_ENV, ...place.person.env });
      await expectChosenTools(inspector);
      place.letTokensExpire();
      expect(await inspector.listTools()).not.toEqual([]);
      expect(place.person.opened.slice(already)).toHaveLength(1);
    }));
});

/** Its login needs a terminal or this permission. By itself it keeps tokens in a keychain, and in a container nowhere. */
const INSPECTOR_ENV = { MCP_AUTO_OPEN_ENABLED: 'true', MCP_INSPECTOR_SECRET_STORE: 'file' };

describeSignIn('conformance 0.2', () => {
  test('finds what it requires of an authorization server', () =>
    inHome(async (dir) => {
      const { clientId } = await registerHost(place.gateway);
      const target = ['--url', place.gateway.url, '--resource', `${place.gateway.url}/mcp`];
      const client = ['--client-id', clientId, '-p', String(await freePort())];
      await runAuthorizationSuite([...target, ...client, '-o', dir]);
      const files = (await readdir(dir)).map((name) => join(dir, name, 'checks.json'));
      const checks = await Promise.all(
        files.map(async (file): Promise<Check[]> => JSON.parse(await readFile(file, 'utf8'))),
      );
      expect(
        checks
          .flat()
          .map(({ id, status }) => `${status} ${id}`)
          .sort(),
      ).toEqual([
        'SUCCESS authorization-code-grant',
        'SUCCESS authorization-server-metadata',
        'SUCCESS authorization-server-metadata-cimd',
      ]);
    }));
});

/** Runs the suite, which prints the address that a person should open. */
async function runAuthorizationSuite(options: readonly string[]): Promise<void> {
  const program = installedFile('conformance-0.2/dist/index.js');
  const suite = spawn(process.execPath, [program, 'authorization', ...options]);
  const ended = once(suite, 'close');
  const errors = text(suite.stderr);
  try {
    for await (const line of createInterface(suite.stdout)) {
      if (line.startsWith(`${place.gateway.url}/authorize?`)) await place.person.allow(line);
    }
  } catch (error) {
    suite.kill();
    throw error;
  }
  expect({ ended: await ended, errors: await errors }).toEqual({ ended: [0, null], errors: '' });
}

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
