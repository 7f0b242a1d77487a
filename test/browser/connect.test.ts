import {
  auth,
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_ENV, createAdminClient, signIn } from '../support/admin-client.ts';
import { chromiumAvailable } from '../support/chromium.ts';
import { allowOn, signInOn } from '../support/consent-page.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { authorizePath, REDIRECT, registerHost } from '../support/oauth-host.ts';
import { seriousFaults } from '../support/serious-faults.ts';
import { useBrowser } from './use-browser.ts';

describe.runIf(chromiumAvailable)('connecting a host in a browser', () => {
  let gateway: TestGateway;
  const complaints: string[] = [];
  afterEach(() => expect(complaints.splice(0)).toEqual([]));
  const browser = useBrowser();

  beforeAll(async () => {
    gateway = await startTestGateway({ env: ADMIN_ENV });
  });
  afterAll(() => gateway?.close());

  const openPage = async (options = {}): Promise<Page> => {
    const page = await (await browser().newContext({ locale: 'en-US', ...options })).newPage();
    // The host does not listen: without an answer, Chromium's page of errors can interrupt what is opened next.
    await page.route(`${REDIRECT}**`, (route) => route.fulfill({ body: 'connected' }));
    page.on('pageerror', (error) => complaints.push(error.message));
    return page;
  };

  test('a client of the SDK is connected, calls a tool, and is disconnected', async () => {
    const page = await openPage();
    const host = createProvider();
    const url = new URL(`${gateway.url}/mcp`);
    const connect = async () => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      await client.connect(new StreamableHTTPClientTransport(url, { authProvider: host.provider }));
      return client;
    };
    await expect(connect()).rejects.toThrow('Unauthorized');
    const returned = await allowOn(page, host.address(), async () => {
      expect(await page.getByLabel('Tenant').inputValue()).toBe('default');
      expect(await page.getByLabel('All tools').isChecked()).toBe(true);
      await page.getByRole('checkbox', { name: /^Economy/ }).check();
      expect(await page.getByLabel('All tools').isChecked()).toBe(false);
    });
    const { searchParams } = returned;
    expect(returned.href.startsWith(REDIRECT)).toBe(true);
    await auth(host.provider, {
      serverUrl: url,
      authorizationCode: searchParams.get('code') ?? '',
      iss: searchParams.get('iss') ?? '',
    });
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('frankfurter_rates');
    expect(tools.map(({ name }) => name)).not.toContain('kma_village_forecast');
    await client.callTool({ name: 'frankfurter_rates', arguments: {} });
    await client.close();

    await page.goto(`${gateway.url}/admin/settings/account`);
    await page.getByRole('cell', { name: 'SDK test', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Disconnect SDK test' }).click();
    const question = page.getByRole('dialog', { name: 'Disconnect SDK test?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await (await connect()).close();
    await page.getByRole('button', { name: 'Disconnect SDK test' }).click();
    await question.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await page.getByText('No apps are connected').waitFor();
    await expect(connect()).rejects.toThrow('Unauthorized');
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  });

  /** A page of a person who is signed in. */
  const openSignedIn = async (at: TestGateway, path: string): Promise<Page> => {
    const page = await openPage();
    const { cookies } = await signIn(at);
    const all = [...cookies].map(([name, value]) => ({ name, value, url: at.url }));
    await page.context().addCookies(all);
    await page.goto(`${at.url}${path}`);
    return page;
  };

  test('the page has each way to connect, and marks the first call of a client', async () => {
    const page = await openSignedIn(gateway, '/admin/overview');
    await page.getByRole('link', { name: 'Connect', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Connect a client' }).waitFor();
    await page.getByText(`${gateway.url}/mcp`, { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Claude Code' }).click();
    const ways = page.getByRole('tabpanel');
    expect(await ways.getByRole('heading').allInnerTexts()).toEqual([
      'Sign in, without a key',
      'Or with an API key',
    ]);
    await ways.getByText('claude mcp login tool-gateway').waitFor();
    await ways.getByText("--header 'x-api-key: YOUR_API_KEY'").waitFor();
    await page.getByRole('tab', { name: 'ChatGPT' }).click();
    expect(await ways.getByRole('heading').allInnerTexts()).toEqual(['Sign in, without a key']);

    await page.getByText('Waiting for a call').waitFor();
    const boss = await signIn(gateway);
    const run = 'POST /tenants/default/tools/frankfurter_rates/run';
    expect((await boss.ask(run, { arguments: {} })).status).toBe(200);
    const client = new Client({ name: 'My host', version: '1.0.0' });
    const headers = { 'x-api-key': gateway.key, 'user-agent': 'my-host/1.0' };
    const url = new URL(`${gateway.url}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    await client.callTool({ name: 'frankfurter_rates', arguments: {} });
    await client.close();
    await page.getByText('my-host/1.0 is connected').waitFor();
    expect(await page.getByText(/ is connected$/).count()).toBe(1);
    expect(await page.getByText('Waiting for a call').count()).toBe(0);
    await page.getByRole('status').getByRole('link', { name: 'frankfurter_rates' }).click();
    await page.getByRole('dialog').getByText('my-host/1.0', { exact: true }).waitFor();
  });

  test('where hosts cannot sign in, the page and the start page say that a key is needed', async () => {
    const plain = await startTestGateway({ env: { ...ADMIN_ENV, OAUTH: 'off' } });
    try {
      const page = await openSignedIn(plain, '/admin/connect');
      await page.getByText('You cannot sign in from hosts').waitFor();
      await page.getByRole('tab', { name: 'Claude Code' }).click();
      const ways = page.getByRole('tabpanel');
      expect(await ways.getByRole('heading').allInnerTexts()).toEqual(['With an API key']);
      await page.getByRole('tab', { name: 'ChatGPT' }).click();
      await ways.getByText('This host has no field for a key').waitFor();
      const visitor = await openPage();
      await visitor.goto(`${plain.url}/admin`);
      await visitor.getByText('Enter this address and an API key').waitFor();
      await visitor.goto(`${gateway.url}/admin`);
      await visitor.getByText('You need no key').waitFor();
      await visitor.getByText(`${gateway.url}/mcp`, { exact: true }).waitFor();
    } finally {
      await plain.close();
    }
  });

  test('a person refuses', async () => {
    const page = await openPage();
    await page.goto(`${gateway.url}${authorizePath(await registerHost(gateway))}`);
    await signInOn(page);
    const leaving = page.waitForRequest((request) => request.url().includes('error='));
    await page.getByRole('button', { name: 'Deny' }).click();
    const { searchParams } = new URL((await leaving).url());
    expect(searchParams.get('error')).toBe('access_denied');
    await arrived(page);
  });

  test('a site that is not known is marked, and Allow waits', async () => {
    const page = await openPage();
    const host = await registerHost(gateway, {
      client_name: 'Claude <b>Code</b>',
      redirect_uris: ['https://claude.ai.evil.example/cb'],
    });
    await page.goto(`${gateway.url}${authorizePath(host)}`);
    await signInOn(page);
    await page.getByRole('heading', { name: 'Connect “Claude <b>Code</b>”?' }).waitFor();
    await page.getByText('claude.ai.evil.example', { exact: true }).waitFor();
    await page.getByText('This site is not known.').waitFor();
    const allow = page.getByRole('button', { name: 'Allow' });
    await expect.poll(() => allow.isEnabled()).toBe(true);
    await page.getByLabel('All tools').uncheck();
    expect(await allow.isDisabled()).toBe(true);
  });

  test('a request of another browser is over, and says what to do', async () => {
    const elsewhere = await signIn(gateway);
    const path = authorizePath(await registerHost(gateway));
    const response = await fetch(`${gateway.url}${path}`, { redirect: 'manual' });
    const page = await openPage();
    await page.goto(`${gateway.url}${response.headers.get('location')}`);
    await signInOn(page);
    await page.getByRole('heading', { name: 'This request has expired' }).waitFor();
    expect((await elsewhere.ask('GET /me/apps')).status).toBe(200);
    expect((await createAdminClient(gateway).ask('GET /me/apps')).status).toBe(401);
  });

  test.each([
    ['en-US', 'light', 'This program cannot be connected'],
    ['ko-KR', 'dark', '이 프로그램을 연결할 수 없습니다'],
  ] as const)('a request that is refused is a page: %s, %s', async (locale, colorScheme, title) => {
    const screen = { width: 390, height: 844 };
    const page = await openPage({ locale, colorScheme, viewport: screen });
    const host = await registerHost(gateway);
    for (const wrong of [{ client_id: 'x' }, { response_type: 'token' }]) {
      await page.goto(`${gateway.url}${authorizePath(host, wrong)}`);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2));
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(screen.width);
      expect(await seriousFaults(page)).toEqual([]);
    }
    const leaving = page.waitForRequest((request) => request.url().startsWith(REDIRECT));
    await page.getByRole('link', { name: '127.0.0.1:41234' }).click();
    const { searchParams } = new URL((await leaving).url());
    expect(searchParams.get('error')).toBe('unsupported_response_type');
    await arrived(page);
  });

  test.each(['en-US', 'ko-KR'])(
    'works on a telephone, in the dark and by keyboard: %s',
    async (locale) => {
      const page = await openPage({ locale, viewport: { width: 390, height: 844 } });
      const client = await signIn(gateway);
      await page
        .context()
        .addCookies(
          [...client.cookies].map(([name, value]) => ({ name, value, url: gateway.url })),
        );
      await page.goto(`${gateway.url}${authorizePath(await registerHost(gateway))}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByRole('checkbox', { name: /Economy|경제/ }).waitFor();
      expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBe(390);
      expect(await seriousFaults(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
      expect(await seriousFaults(page, 'html', ['color-contrast'])).toEqual([]);
      const allow = page.getByRole('button', { name: locale === 'ko-KR' ? '허용' : 'Allow' });
      await expect.poll(() => allow.isEnabled()).toBe(true);
      await allow.focus();
      const leaving = page.waitForRequest((request) => request.url().includes('code='));
      await allow.press('Enter');
      await leaving;
      await arrived(page);
    },
  );
});

/** A context whose page is still being answered by its route may never close. */
const arrived = (page: Page): Promise<void> =>
  page.getByText('connected', { exact: true }).waitFor();

/** The part of the SDK that an application writes: it stores what the SDK gives it. */
function createProvider() {
  const stored = new Map<string, unknown>();
  const store = (name: string) => (value: unknown) => void stored.set(name, value);
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT,
    clientMetadata: {
      client_name: 'SDK test',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => stored.get('client') as never,
    saveClientInformation: store('client'),
    tokens: () => stored.get('tokens') as never,
    saveTokens: store('tokens'),
    redirectToAuthorization: store('address'),
    saveCodeVerifier: store('verifier'),
    codeVerifier: () => String(stored.get('verifier')),
    invalidateCredentials: () => void stored.delete('tokens'),
  };
  return { provider, address: () => String(stored.get('address')) };
}
